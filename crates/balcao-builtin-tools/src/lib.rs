//! The tools we ship: crm, salon, followup.
