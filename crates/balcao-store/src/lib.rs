//! The database: SQLite in a file or in memory, behind one enum.
