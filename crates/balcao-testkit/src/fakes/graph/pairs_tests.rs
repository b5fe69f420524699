use super::*;

#[test]
fn a_burst_is_borrowed_and_paid_back_one_message_in_six_seconds() {
    let (mut pairs, mut now) = (Pairs::default(), Timestamp::UNIX_EPOCH);
    let mut many = |customer: &str, now| (0..60).take_while(|_| pairs.take(customer, now)).count();
    assert_eq!(many("joao", now), 45);
    assert_eq!(many("ana", now), 45, "nobody pays for another");
    for (seconds, fit) in [(5, 0), (1, 1), (1, 0), (12, 2), (269, 45), (86_400, 45)] {
        now += SignedDuration::from_secs(seconds);
        assert_eq!(many("joao", now), fit, "after {seconds} s");
    }
}
