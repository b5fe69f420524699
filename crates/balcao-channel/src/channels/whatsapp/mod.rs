//! WhatsApp Business Platform (Cloud API).
