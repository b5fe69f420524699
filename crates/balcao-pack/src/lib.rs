//! YAML packs become tools.
