//! Fuzzes texts of the front end, from text to values under each meaning.

#![no_main]

use catadiff_laws::bad_input;

catadiff_fuzz::target!(bad_input::of_programs, "program");
