use super::*;

#[test]
fn wishes_are_refused_wherever_the_negation_stands() {
    use Polarity::{Absent, Affirmed, Denied};
    let cancel = &["cancel*", "desmarc*"];
    for (clause, want) in [
        ("quero cancelar", Affirmed),
        ("não quero mais cancelar nada", Denied),
        ("não é pra cancelar", Denied),
        ("nunca pedi pra cancelar", Denied),
        ("cancela não", Denied),
        ("não consigo ir amanhã, cancela", Affirmed),
        ("não quero remarcar, quero cancelar", Affirmed),
        ("posso cancelar ou não", Affirmed),
        ("don't cancel it", Denied),
        ("quero marcar", Absent),
    ] {
        assert_eq!(polarity(clause, cancel), want, "{clause:?}");
    }
}

#[test]
fn things_are_dropped_too() {
    use Polarity::{Affirmed, Denied};
    let reminder = &["me lembra", "me lembrar", "lembrete", "hora antes"];
    for (clause, want) in [
        ("não precisa de lembrete", Denied),
        ("esquece o lembrete", Denied),
        ("cancela o lembrete", Denied),
        ("sem lembrete, por favor", Denied),
        ("precisa de lembrete não", Denied),
        ("deixa o lembrete pra lá", Denied),
        ("não esquece de me lembrar", Affirmed),
        ("não precisa tirar o lembrete", Affirmed),
        ("me lembra uma hora antes", Affirmed),
    ] {
        assert_eq!(polarity_of_thing(clause, reminder), want, "{clause:?}");
    }
}

#[test]
fn the_past_wants_nothing() {
    for clause in ["você cancelou meu horário?", "por que vocês remarcaram?", "foi cancelado", "mudaram meu horário?"]
    {
        assert!(happened(clause), "{clause:?}");
    }
    for clause in ["quero cancelar", "pode desmarcar", "desmarque", "quero o cancelamento", "remarca pra sexta"] {
        assert!(!happened(clause), "{clause:?}");
    }
}
