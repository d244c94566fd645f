//! permissions
