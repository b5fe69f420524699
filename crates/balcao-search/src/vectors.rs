//! Nearness of meaning: the cosine between vectors, all compared with all. For some ten thousand entries that takes milliseconds.

/// Why vectors cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VectorError {
    /// One for each entry is needed.
    #[error("there are {vectors} vectors for {entries} entries: one for each is expected, in their order")]
    Number {
        /// How many came.
        vectors: usize,
        /// How many are needed.
        entries: usize,
    },
    /// All of one length.
    #[error("a vector has {got} numbers and the first one has {expected}: all must come from one model")]
    Length {
        /// Of the first one.
        expected: usize,
        /// Of this one.
        got: usize,
    },
    /// Numbers are needed.
    #[error("invalid value in vector {place}; expected finite numbers")]
    NoNumber {
        /// Which one, counted from 0.
        place: usize,
    },
}

/// Vectors that have the same number of numbers, to be searched by nearness. One of zeros has no direction, and is near nothing: a model makes it of a text
/// that it knows no word of.
#[derive(Debug, Default)]
pub struct Vectors {
    /// Each of length 1, or of zeros.
    numbers: Vec<f32>,
    length: usize,
}

impl Vectors {
    /// The vectors of entries, in their order.
    ///
    /// # Errors
    /// If they are not all of one length, or hold what is no number.
    pub fn new(vectors: &[Vec<f32>]) -> Result<Self, VectorError> {
        let expected = vectors.first().map_or(0, Vec::len);
        let mut numbers = Vec::with_capacity(expected.saturating_mul(vectors.len()));
        for (place, vector) in vectors.iter().enumerate() {
            if vector.len() != expected {
                return Err(VectorError::Length { expected, got: vector.len() });
            }
            if !vector.iter().all(|number| number.is_finite()) {
                return Err(VectorError::NoNumber { place });
            }
            numbers.extend(unit(vector).unwrap_or_else(|| vec![0.0; expected]));
        }
        Ok(Self { numbers, length: expected })
    }

    /// The nearest entries that `takes` keeps, nearest first, at most `limit`; of equally near ones the one that was added first. None if the
    /// query's vector is of another length or has no direction.
    #[must_use]
    pub fn nearest(&self, query: &[f32], limit: usize, takes: impl Fn(u32) -> bool) -> Vec<u32> {
        let Some(query) = unit(query).filter(|query| query.len() == self.length && self.length > 0) else {
            return Vec::new();
        };
        let mut ranked: Vec<(u32, f32)> = (0_u32..)
            .zip(self.numbers.chunks_exact(self.length))
            .filter(|(entry, vector)| takes(*entry) && vector.iter().any(|number| *number != 0.0))
            .map(|(entry, vector)| (entry, vector.iter().zip(&query).map(|(a, b)| a * b).sum()))
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.truncate(limit);
        ranked.into_iter().map(|(entry, _)| entry).collect()
    }
}

/// The same direction with length 1.
fn unit(vector: &[f32]) -> Option<Vec<f32>> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    (length.is_finite() && length > 0.0).then(|| vector.iter().map(|number| number / length).collect())
}
