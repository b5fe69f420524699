//! Tables of the business and its contacts: tags, pipelines, notes, plans, staff.

pub mod contact;
pub mod note;
pub mod organization;
pub mod pipeline;
pub mod staff;
pub mod subscription;
pub mod tag;
