//! The table of growth in `benches/README.md`: what derivatives cost relative to their functions, counted.

#[path = "../tests/growth/families.rs"]
mod families;

fn main() {
    println!("| family | n | function | `vjp` | `jvp` |");
    println!("|---|---:|---:|---:|---:|");
    for family in families::all() {
        match family.grows_alike() {
            Ok(row) => println!("{row}"),
            Err(violation) => println!("{violation}"),
        }
    }
}
