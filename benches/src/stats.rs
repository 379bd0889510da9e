//! The little statistics that are needed, and how figures are written.

/// The middle of the values; NaN of none.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A figure with three digits that count.
pub fn digits(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let size = value.abs();
    if size >= 100.0 {
        let whole = format!("{value:.0}");
        thousands(&whole)
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

fn thousands(whole: &str) -> String {
    let (sign, figures) = whole
        .strip_prefix('-')
        .map_or(("", whole), |rest| ("-", rest));
    let mut text = String::from(sign);
    for (index, figure) in figures.chars().enumerate() {
        if index > 0 && (figures.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(figure);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits() {
        let written: Vec<_> = [0.1234, 1.5, 12.34, 123.4, 1_234_567.0, -1234.0]
            .into_iter()
            .map(digits)
            .collect();
        assert_eq!(
            written,
            ["0.12", "1.50", "12.3", "123", "1,234,567", "-1,234"]
        );
        assert_eq!(digits(f64::NAN), "–");
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert!(median([]).is_nan());
    }
}
