//! Several ranks become one.

use std::collections::BTreeMap;

/// How soon a place in one rank stops counting (Cormack, Clarke and Büttcher, 2009, who take 60 for ranks of a thousand with many right
/// answers). Here one of few is right and five are shown: by 60, two middling places outdo the first of the better rank
/// (docs/PERFORMANCE.md has the figures).
const K: f64 = 10.0;

/// The entries of all ranks, each best first, by the sum of their reciprocal places, best first; of equal sums the one with the lower number.
#[must_use]
pub fn fuse(ranks: &[&[u32]]) -> Vec<(u32, f64)> {
    let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
    for rank in ranks {
        let mut place = 0.0;
        for entry in *rank {
            place += 1.0;
            *sums.entry(*entry).or_default() += 1.0 / (K + place);
        }
    }
    let mut fused: Vec<(u32, f64)> = sums.into_iter().collect();
    fused.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    fused
}

#[cfg(test)]
mod tests {
    use super::fuse;

    #[test]
    fn what_two_ranks_name_stands_before_what_one_names_first() {
        let order: Vec<u32> = fuse(&[&[7, 3], &[3, 9]]).into_iter().map(|(entry, _)| entry).collect();
        assert_eq!(order, [3, 7, 9]);
        assert!(fuse(&[&[], &[]]).is_empty());
    }
}
