//! The model contract and its network providers.
