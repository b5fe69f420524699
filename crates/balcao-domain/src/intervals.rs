//! Half-open intervals of any ordered measure: seconds since the epoch, minutes of a day.

/// The same time in order, without overlap and without touching. An empty interval stays one.
#[must_use]
pub fn merged<T: Ord + Copy>(mut all: Vec<(T, T)>) -> Vec<(T, T)> {
    all.sort_unstable();
    let mut out: Vec<(T, T)> = Vec::with_capacity(all.len());
    for (from, to) in all {
        match out.last_mut() {
            Some((_, end)) if from <= *end => *end = to.max(*end),
            Some(_) | None => out.push((from, to)),
        }
    }
    out
}

/// What of `all` is in none of `taken`; both as [`merged`] gives them.
pub fn without<T: Ord + Copy>(all: &[(T, T)], taken: &[(T, T)]) -> Vec<(T, T)> {
    let mut left = Vec::new();
    for (from, to) in all {
        let mut at = *from;
        for (start, end) in taken.iter().filter(|(start, end)| end > from && start < to) {
            if at < *start {
                left.push((at, *start));
            }
            at = at.max(*end);
        }
        if at < *to {
            left.push((at, *to));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spans() -> impl Strategy<Value = Vec<(u8, u8)>> {
        prop::collection::vec((0_u8..30, 1_u8..8).prop_map(|(from, length)| (from, from + length)), 0..6)
    }

    /// The points that intervals hold.
    fn points(all: &[(u8, u8)]) -> Vec<u8> {
        (0..40).filter(|point| all.iter().any(|(from, to)| from <= point && point < to)).collect()
    }

    proptest! {
        #[test]
        fn intervals_hold_the_same_points_merged_and_without_others_what_those_do_not_hold(all in spans(), taken in spans()) {
            let (all, taken) = (merged(all.clone()), merged(taken));
            prop_assert!(all.windows(2).all(|pair| pair[0].1 < pair[1].0));
            let left = without(&all, &taken);
            let expected: Vec<u8> = points(&all).into_iter().filter(|point| !points(&taken).contains(point)).collect();
            prop_assert_eq!(points(&left), expected);
            prop_assert!(left.iter().all(|(from, to)| from < to));
            prop_assert!(left.windows(2).all(|pair| pair[0].1 <= pair[1].0));
        }

        #[test]
        fn merging_keeps_every_point(all in spans()) {
            prop_assert_eq!(points(&merged(all.clone())), points(&all));
        }
    }

    #[test]
    fn what_begins_where_an_interval_ends_takes_nothing_of_it() {
        assert_eq!(without(&[(3, 5)], &[(5, 9), (1, 3)]), [(3, 5)]);
        assert_eq!(without(&[(3, 5)], &[(3, 4)]), [(4, 5)]);
        assert_eq!(without(&[(3, 3)], &[]), []);
    }

    #[test]
    fn what_is_left_is_what_none_takes() {
        let open = merged(vec![(480, 720), (840, 1080), (700, 720)]);
        assert_eq!(open, [(480, 720), (840, 1080)]);
        assert_eq!(without(&open, &[]), open);
        assert_eq!(without(&open, &[(0, 1440)]), []);
        assert_eq!(without(&open, &[(510, 600), (720, 900)]), [(480, 510), (600, 720), (900, 1080)]);
        // A lunch hour that two people take apart from each other is nobody's.
        assert_eq!(merged(vec![(480, 720), (600, 1080)]), [(480, 1080)]);
    }
}
