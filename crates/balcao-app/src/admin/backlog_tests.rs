use super::*;

#[test]
fn h09_a_disk_is_scarce_below_a_tenth_and_wherever_no_files_are_taken() {
    let found = |free, least_free| scarce(&Figures::default(), free, least_free);
    for (free, least_free, is_scarce) in
        [(9, 0, true), (10, 0, false), (9, 10, true), (10, 10, false), (29, 30, true), (30, 30, false), (9, 5, true)]
    {
        let expected = if is_scarce { vec![Scarce::Disk(free)] } else { Vec::new() };
        assert_eq!(found(Some(free), least_free), expected, "{free} {least_free}");
    }
    assert_eq!(found(None, 100), []);
    assert!(Scarce::Disk(9).to_string().starts_with("9 % of the database's disk are free"));
}
