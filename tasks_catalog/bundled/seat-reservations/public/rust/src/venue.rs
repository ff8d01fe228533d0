//! A venue and its seats.

pub const FREE: &str = "free";
pub const HELD: &str = "held";
pub const BOOKED: &str = "booked";

/// One numbered seat and who has it.
pub struct Seat {
    pub name: String,
    pub status: &'static str,
    pub client: String,
    pub version: u64,
}

impl Seat {
    pub fn change(&mut self, status: &'static str, client: &str) {
        self.status = status;
        self.client = client.to_string();
        self.version += 1;
    }
}

/// The seats in plan order, and the clients who wait for one.
#[derive(Default)]
pub struct Venue {
    pub seats: Vec<Seat>,
    pub waiting: Vec<String>,
}

impl Venue {
    pub fn add_row(&mut self, row: &str, count: usize) {
        for number in 1..=count {
            self.seats.push(Seat {
                name: format!("{}{}", row, number),
                status: FREE,
                client: String::new(),
                version: 0,
            });
        }
    }

    pub fn seat(&mut self, name: &str) -> Option<&mut Seat> {
        self.seats.iter_mut().find(|seat| seat.name == name)
    }

    /// Frees what the client holds; returns the names of these seats.
    pub fn free_all_of(&mut self, client: &str) -> Vec<String> {
        let mut names = Vec::new();
        for seat in &mut self.seats {
            if seat.status == HELD && seat.client == client {
                seat.change(FREE, "");
                names.push(seat.name.clone());
            }
        }
        names
    }
}
