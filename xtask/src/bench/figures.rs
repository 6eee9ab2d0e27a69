//! Figures from the times of all rounds: minima, medians, medians of ratios within a round.

/// One contender's times over the rounds, in the order of the rounds.
pub type Times = Vec<f64>;

/// Median over the rounds of the ratio of one time to the other.
pub fn paired_ratio(times: &Times, others: &Times) -> f64 {
    median(&times.iter().zip(others).map(|(one, other)| one / other).collect::<Times>())
}

/// The ratio of the best times.
pub fn ratio_of_minima(times: &Times, others: &Times) -> f64 {
    min(times) / min(others)
}

pub fn min(times: &Times) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

pub fn median(times: &Times) -> f64 {
    let mut sorted = times.clone();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        even if even % 2 == 0 => (sorted[middle - 1] + sorted[middle]) / 2.0,
        _ => sorted[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_minima() {
        assert_eq!(median(&vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(ratio_of_minima(&vec![4.0, 3.0], &vec![2.0, 5.0]), 1.5);
    }

    #[test]
    fn ratios_are_taken_within_a_round() {
        // A slow machine in the second round slows both alike.
        assert_eq!(paired_ratio(&vec![2.0, 20.0, 2.0], &vec![1.0, 10.0, 1.0]), 2.0);
    }
}
