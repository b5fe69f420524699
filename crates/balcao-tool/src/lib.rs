//! The tool contract: specs, calls, outcomes, errors, validation, registry.
