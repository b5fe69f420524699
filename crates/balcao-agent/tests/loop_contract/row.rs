//! What a row of the contract is, and how it becomes tests.

/// One row: what happens, and what the turn must do then.
pub(crate) struct Row {
    pub(crate) id: &'static str,
    pub(crate) situation: &'static str,
    pub(crate) behaviour: &'static str,
    /// `both`, `native` or `structured`.
    pub(crate) protocols: &'static str,
}

/// Turns rows into a table and into one test per row and protocol, named `lc_…::native` and `lc_…::structured`.
macro_rules! rows {
    ($($id:ident $protocols:ident $situation:literal => $behaviour:literal, $body:expr;)*) => {
        pub(crate) const ROWS: &[$crate::row::Row] = &[$($crate::row::Row {
            id: stringify!($id),
            situation: $situation,
            behaviour: $behaviour,
            protocols: stringify!($protocols),
        }),*];
        $(
            fn $id(world: $crate::world::World) {
                let body: fn($crate::world::World) = $body;
                body(world);
            }
            mod $id {
                $crate::row::rows!(@$protocols $id);
            }
        )*
    };
    (@both $id:ident) => {
        $crate::row::rows!(@native $id);
        $crate::row::rows!(@structured $id);
    };
    (@native $id:ident) => {
        #[test]
        fn native() {
            super::$id($crate::world::World::new(balcao_agent::profile::Protocol::Native));
        }
    };
    (@structured $id:ident) => {
        #[test]
        fn structured() {
            super::$id($crate::world::World::new(balcao_agent::profile::Protocol::Structured));
        }
    };
}

pub(crate) use rows;
