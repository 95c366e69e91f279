//! The figures and programs of the sources, one module each.

mod array_language;
mod figures;
mod thesis;
