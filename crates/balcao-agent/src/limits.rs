//! Every limit of a turn, in one place. A profile may lower most of them; none can be raised by a pack.

use std::time::Duration;

/// Rounds of tool calls in a turn. Hard.
pub const MAX_TOOL_ROUNDS: u32 = 5;
/// Corrections of the model's own mistakes in a turn.
pub const MAX_CORRECTIONS: u32 = 3;
/// Rounds without any new information before the loop ends.
pub const MAX_IDLE_ROUNDS: u32 = 3;
/// Consecutive faults that open the breaker.
pub const BREAKER_OVERALL: u32 = 3;
/// Consecutive faults of one tool that withdraw it.
pub const BREAKER_SAME_TOOL: u32 = 2;
/// Idle hours after which the breaker forgets.
pub const BREAKER_RESET_HOURS: u32 = 24;
/// The whole turn.
pub const TURN_TIMEOUT: Duration = Duration::from_secs(120);
/// Model calls of one turn, whatever they are for: five rounds, the final text, and the corrections.
pub const MAX_MODEL_CALLS: u32 = 12;
/// Tool calls of one turn that are executed.
pub const MAX_TOOL_CALLS: u32 = 24;
/// Tokens of one turn, input and output together.
pub const MAX_TURN_TOKENS: u64 = 120_000;
/// Output tokens of one model call, unless the profile says otherwise.
pub const MAX_OUTPUT_TOKENS: u32 = 1_024;
/// Tokens of history that go with a request (estimated).
pub const HISTORY_TOKENS: usize = 6_000;
/// Tokens of a request for the tools of the operator's own packs: contracts and guidance.
pub const TOOL_TOKENS: usize = 760;
/// Tokens of a request for the names of tools of own packs whose contracts are not in view.
pub const NAME_TOKENS: usize = 300;
/// AI messages in a conversation and day before a person takes over.
pub const MAX_AI_MESSAGES_PER_DAY: u32 = 50;
/// Messages a minute from one contact before it is slowed down.
pub const FLOOD_PER_MINUTE: u32 = 20;
/// Longest customer text that a turn reads, in characters; the rest is cut and marked.
pub const MAX_INBOUND_CHARS: usize = 4_000;
/// How long a held call waits for the customer's word.
pub const CONFIRMATION_EXPIRY: Duration = Duration::from_secs(24 * 3600);
/// How long working memory and a notification's subject stay relevant: memory 24 h, notification 48 h.
pub const MEMORY_EXPIRY: Duration = Duration::from_secs(24 * 3600);
/// See [`MEMORY_EXPIRY`].
pub const NOTIFICATION_EXPIRY: Duration = Duration::from_secs(48 * 3600);
/// Largest tool result shown whole, in bytes of JSON.
pub const MAX_SHOWN_RESULT_BYTES: usize = 6_000;
/// Most items of a list that `read_result` shows at once.
pub const MAX_READ_ITEMS: usize = 40;
