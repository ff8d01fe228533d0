//! Which lines of two texts belong together.

/// Returns for each line of the base the index of its partner. Takes the keys of the lines.
pub fn partners(base: &[String], other: &[String]) -> Vec<Option<usize>> {
    let most = pair_counts(base, other);
    let mut found = vec![None; base.len()];
    let (mut i, mut j) = (0, 0);
    while i < base.len() && j < other.len() {
        if base[i] == other[j] {
            found[i] = Some(j);
            i += 1;
            j += 1;
        } else if most[i + 1][j] >= most[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

/// Returns a table: the most pairs that lines from i and from j on can have, at [i][j].
fn pair_counts(base: &[String], other: &[String]) -> Vec<Vec<u32>> {
    let mut most = vec![vec![0; other.len() + 1]; base.len() + 1];
    for i in (0..base.len()).rev() {
        for j in (0..other.len()).rev() {
            most[i][j] = if base[i] == other[j] {
                most[i + 1][j + 1] + 1
            } else {
                most[i + 1][j].max(most[i][j + 1])
            };
        }
    }
    most
}
