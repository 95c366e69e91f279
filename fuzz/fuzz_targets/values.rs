//! Fuzzes values as text and as bytes.

#![no_main]

use catadiff_laws::bad_input;

catadiff_fuzz::target!(bad_input::of_values, "values");
