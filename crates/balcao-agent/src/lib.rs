//! One turn: decide, drive, guard.
