//! The acts of random sequences, and how they are drawn.

use balcao_testkit::fakes::calendar_service::CallFault;
use proptest::prelude::*;

/// One act. Numbers choose among what is there, counted round.
#[derive(Debug, Clone, Copy)]
pub(super) enum Act {
    Book { is_bia: bool, half: u8 },
    MoveByCustomer { is_bia: bool, half: u8 },
    CancelByCustomer { is_bia: bool },
    MoveByStaff { which: u8, half: u8 },
    CancelByStaff { which: u8 },
    Edit { which: u8, edit: PersonEdit },
    MakeOther { in_bruno: bool, half: u8 },
    Choose { which: u8, choice: Choice },
    Read { is_bruno: bool },
    Push,
    Later,
    ForgetTokens,
    Fault(CallFault),
    DeliverLate,
}

/// What a person does to an event in the calendar.
#[derive(Debug, Clone, Copy)]
pub(super) enum PersonEdit {
    MoveTo { half: u8 },
    Resize { minutes: u32 },
    MoveAndResize { half: u8, minutes: u32 },
    MakeAllDay,
    Free,
    Occupy,
    DropMark,
    Retitle,
    TakeElsewhere,
    Delete,
    Undelete,
    Copy { half: u8 },
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Choice {
    Take,
    Restore,
    Cancel,
    Move { half: u8 },
}

fn edits() -> impl Strategy<Value = PersonEdit> {
    let minutes = prop::sample::select(vec![15_u32, 45, 60]);
    prop_oneof![
        4 => half().prop_map(|half| PersonEdit::MoveTo { half }),
        1 => minutes.clone().prop_map(|minutes| PersonEdit::Resize { minutes }),
        1 => (half(), minutes).prop_map(|(half, minutes)| PersonEdit::MoveAndResize { half, minutes }),
        1 => Just(PersonEdit::MakeAllDay),
        1 => Just(PersonEdit::Free),
        1 => Just(PersonEdit::Occupy),
        1 => Just(PersonEdit::DropMark),
        1 => Just(PersonEdit::Retitle),
        2 => Just(PersonEdit::TakeElsewhere),
        2 => Just(PersonEdit::Delete),
        1 => Just(PersonEdit::Undelete),
        1 => half().prop_map(|half| PersonEdit::Copy { half }),
    ]
}

/// From nine o'clock to half past five, lunch too, in few steps so that much meets.
fn half() -> impl Strategy<Value = u8> {
    prop_oneof![3 => 0..4_u8, 1 => 4..18_u8]
}

pub(super) fn acts() -> impl Strategy<Value = Act> {
    let choice = prop_oneof![
        2 => Just(Choice::Take),
        2 => Just(Choice::Restore),
        1 => Just(Choice::Cancel),
        1 => half().prop_map(|half| Choice::Move { half }),
    ];
    let faults =
        prop::sample::select(vec![CallFault::AnswerLost, CallFault::RequestLost, CallFault::Late, CallFault::Busy]);
    prop_oneof![
        3 => (any::<bool>(), half()).prop_map(|(is_bia, half)| Act::Book { is_bia, half }),
        2 => (any::<bool>(), half()).prop_map(|(is_bia, half)| Act::MoveByCustomer { is_bia, half }),
        1 => any::<bool>().prop_map(|is_bia| Act::CancelByCustomer { is_bia }),
        1 => (any::<u8>(), half()).prop_map(|(which, half)| Act::MoveByStaff { which, half }),
        1 => any::<u8>().prop_map(|which| Act::CancelByStaff { which }),
        6 => (any::<u8>(), edits()).prop_map(|(which, edit)| Act::Edit { which, edit }),
        1 => (any::<bool>(), half()).prop_map(|(in_bruno, half)| Act::MakeOther { in_bruno, half }),
        3 => (any::<u8>(), choice).prop_map(|(which, choice)| Act::Choose { which, choice }),
        4 => any::<bool>().prop_map(|is_bruno| Act::Read { is_bruno }),
        2 => Just(Act::Push),
        1 => Just(Act::Later),
        1 => Just(Act::ForgetTokens),
        1 => faults.prop_map(Act::Fault),
        1 => Just(Act::DeliverLate),
    ]
}
