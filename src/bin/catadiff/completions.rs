//! Completions for shells, written from the table.
//!
//! Law: what is offered is accepted.

use std::fmt::Write as _;

use crate::answer::{Answer, Failure};
use crate::table::COMMANDS;

/// See the table.
pub(crate) fn completions(arguments: &[&str]) -> Result<Answer, Failure> {
    match arguments {
        ["bash"] => Ok(bash().into()),
        ["zsh"] => Ok(format!("#compdef catadiff\nautoload -U +X bashcompinit && bashcompinit\n{}", bash()).into()),
        ["fish"] => Ok(fish().into()),
        [other] => Err(Failure::asked(format!("there are completions for bash, zsh and fish, not for `{other}`"))),
        _ => Err(Failure::asked("name one shell: bash, zsh or fish")),
    }
}

fn bash() -> String {
    let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
    let mut text =
        String::from("_catadiff() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n");
    text.push_str("  if ((COMP_CWORD == 1)); then\n");
    let _ = writeln!(text, "    COMPREPLY=($(compgen -W \"{}\" -- \"$word\"))\n    return\n  fi", names.join(" "));
    text.push_str("  case $before in\n");
    for flag in crate::table::FLAGS.iter().filter(|flag| !flag.values.is_empty()) {
        let values = flag.values.join(" ");
        let _ = writeln!(text, "    --{}) COMPREPLY=($(compgen -W \"{values}\" -- \"$word\")); return ;;", flag.long);
    }
    text.push_str("  esac\n  case ${COMP_WORDS[1]} in\n");
    for command in COMMANDS {
        let flags: Vec<String> = command.flags().map(|flag| format!("--{}", flag.long)).collect();
        let _ = writeln!(text, "    {}) local flags=\"{} --help\" ;;", command.name, flags.join(" "));
    }
    text.push_str("  esac\n  COMPREPLY=($(compgen -W \"$flags\" -- \"$word\") $(compgen -f -- \"$word\"))\n}\n");
    text + "complete -o filenames -F _catadiff catadiff\n"
}

fn fish() -> String {
    let mut text = String::new();
    let quoted = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    for command in COMMANDS {
        let (name, help) = (command.name, quoted(command.help));
        let _ = writeln!(text, "complete -c catadiff -n __fish_use_subcommand -a {name} -d {help}");
        for flag in command.flags() {
            let short = flag.short.map_or_else(String::new, |short| format!(" -s {short}"));
            let values =
                if flag.values.is_empty() { String::new() } else { format!(" -a {}", quoted(&flag.values.join(" "))) };
            let takes = if flag.value.is_some() { " -r" } else { "" };
            let seen = format!("'__fish_seen_subcommand_from {name}'");
            let _ = writeln!(
                text,
                "complete -c catadiff -n {seen} -l {}{short}{takes}{values} -d {}",
                flag.long,
                quoted(flag.help)
            );
        }
    }
    text
}
