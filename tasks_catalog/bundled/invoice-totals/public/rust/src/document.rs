//! One document: its lines, its rebate and what they come to. Amounts are cents.

pub struct Line {
    pub name: String,
    pub rate: i64,
    pub amount: i64,
    pub rebate: i64,
}

impl Line {
    pub fn net(&self) -> i64 {
        self.amount - self.rebate
    }

    pub fn tax(&self) -> i64 {
        percent_of(self.net(), self.rate)
    }
}

/// Keeps its lines in the order in which they were added.
pub struct Document {
    pub name: String,
    pub code: String,
    pub lines: Vec<Line>,
}

impl Document {
    pub fn new(name: &str, code: &str) -> Self {
        Document { name: name.to_string(), code: code.to_string(), lines: Vec::new() }
    }

    /// Adds a line and returns its amount.
    pub fn add_line(&mut self, name: &str, quantity: i64, price: i64, rate: i64) -> i64 {
        let amount = quantity * price;
        self.lines.push(Line { name: name.to_string(), rate, amount, rebate: 0 });
        amount
    }

    /// Returns the line of that name.
    pub fn find(&mut self, name: &str) -> Option<&mut Line> {
        self.lines.iter_mut().find(|line| line.name == name)
    }

    /// Lowers all lines and returns the rebate.
    pub fn rebate_percent(&mut self, percent: i64) -> i64 {
        for line in &mut self.lines {
            line.rebate = percent_of(line.amount, percent);
        }
        self.lines.iter().map(|line| line.rebate).sum()
    }

    /// Lowers the first line and returns the rebate.
    pub fn rebate_amount(&mut self, rebate: i64) -> i64 {
        if let Some(line) = self.lines.first_mut() {
            line.rebate = rebate;
        }
        rebate
    }

    /// Returns the rates of the lines, each once.
    pub fn rates(&self) -> Vec<i64> {
        let mut rates = Vec::new();
        for line in &self.lines {
            if !rates.contains(&line.rate) {
                rates.push(line.rate);
            }
        }
        rates
    }
}

pub fn percent_of(units: i64, percent: i64) -> i64 {
    // rounded half up: the division goes down, also below zero
    (units * percent + 50).div_euclid(100)
}
