//! Fuzzes the text of recorded programs.

#![no_main]

use catadiff_laws::bad_input;

catadiff_fuzz::target!(bad_input::of_recordings, "recording");
