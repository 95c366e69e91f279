//! The commands on the pages of the book, which are those of a Unix shell, print what the pages say, and make the pictures that they show.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::folder;

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/book/src")
}

fn files(folder: &Path, ending: &str) -> BTreeSet<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(ending)).collect()
}

/// The commands of a page, which stand behind `$` in blocks of the language `console`, each with the lines below it.
fn commands(page: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(language) => inside = language == "console",
            None if !inside => {}
            None => match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command.into(), String::new())),
                (None, Some((_, output))) => *output += &format!("{line}\n"),
                (None, None) => panic!("a block begins with a command: {line}"),
            },
        }
    }
    commands
}

#[test]
fn commands_of_the_book_print_what_it_says() {
    let here = folder("book", &[("pictures/none", "")]);
    let programs = here.join("programs");
    std::fs::create_dir_all(&programs).unwrap();
    for name in files(&book().join("programs"), ".fut") {
        std::fs::copy(book().join("programs").join(&name), programs.join(&name)).unwrap();
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_catadiff")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());

    let mut ran = 0;
    for page in files(&book(), ".md") {
        let text = std::fs::read_to_string(book().join(&page)).unwrap();
        for (command, expected) in commands(&text).into_iter().filter(|(command, _)| command.contains("catadiff ")) {
            let mut run = Command::new("sh");
            run.args(["-c", &format!("exec 2>&1; {command}")]);
            let run = run.current_dir(&programs).env("PATH", &path).output().unwrap();
            let output = String::from_utf8(run.stdout).unwrap();
            // Lines of spaces are empty on a page.
            let trimmed =
                |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned();
            assert_eq!(trimmed(&output), trimmed(&expected), "{page}: {command}");
            ran += 1;
        }
    }
    assert!(ran > 0, "the book has commands");

    let shown = book().join("pictures");
    assert_eq!(files(&shown, ".svg"), files(&here.join("pictures"), ".svg"), "a command beside it makes each picture");
    for name in files(&shown, ".svg") {
        let read = |folder: &Path| std::fs::read_to_string(folder.join(&name)).unwrap();
        assert!(read(&shown) == read(&here.join("pictures")), "{name} is not what its command draws");
    }
}
