//! The built-in deterministic model: Portuguese scheduling conversations without a network.
