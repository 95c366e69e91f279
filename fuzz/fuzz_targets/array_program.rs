//! Fuzzes array programs as text, on lanes and interpreted.

#![no_main]

use catadiff_laws::bad_input;

catadiff_fuzz::target!(bad_input::of_array_programs, "array_program");
