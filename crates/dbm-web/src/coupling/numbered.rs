//! Numbered results, some of which have arrived.

/// Results that have not arrived are empty.
#[derive(Clone, Debug, Default)]
pub struct Numbered<T>(Vec<Option<T>>);

impl<T: Clone> Numbered<T> {
    /// Stores the results of a job for `count` parts, from number `first` on. An error if the job returned a different number of
    /// them.
    pub fn take(&mut self, first: u32, count: u32, answer: &[T], parts: &str) -> Result<(), String> {
        if answer.len() != count as usize {
            return Err(format!("a worker was asked for {count} {parts} but sent {}", answer.len()));
        }
        let (first, end) = (first as usize, (first + count) as usize);
        if self.0.len() < end {
            self.0.resize(end, None);
        }
        self.0[first..end].iter_mut().zip(answer).for_each(|(place, one)| *place = Some(one.clone()));
        Ok(())
    }

    /// The result with this number, if it has arrived.
    pub fn get(&self, number: u32) -> Option<&T> {
        self.0.get(number as usize)?.as_ref()
    }

    /// Those of the first `wanted` results that have arrived, with their numbers.
    pub fn some(&self, wanted: u32) -> impl Iterator<Item = (u32, &T)> {
        (0..wanted).filter_map(|number| Some((number, self.get(number)?)))
    }

    /// Jobs for the missing ones among the first `wanted`, in order, at most `most` per job: the first number, and how many.
    pub fn missing(&self, wanted: u32, most: u32) -> Vec<(u32, u32)> {
        let mut jobs: Vec<(u32, u32)> = Vec::new();
        for number in (0..wanted).filter(|&number| self.get(number).is_none()) {
            match jobs.last_mut() {
                Some((first, count)) if *first + *count == number && *count < most => *count += 1,
                _ => jobs.push((number, 1)),
            }
        }
        jobs
    }
}

#[cfg(test)]
mod tests {
    use super::Numbered;

    #[test]
    fn what_is_missing_is_known_and_an_answer_of_another_length_is_refused() {
        let mut all = Numbered::<char>::default();
        assert_eq!(all.missing(5, 2), [(0, 2), (2, 2), (4, 1)]);
        all.take(2, 3, &['c', 'd', 'e'], "letters").unwrap();
        assert_eq!((all.missing(4, 9), all.some(4).collect::<Vec<_>>()), (vec![(0, 2)], vec![(2, &'c'), (3, &'d')]));
        assert_eq!(all.take(0, 3, &['a', 'b'], "letters").unwrap_err(), "a worker was asked for 3 letters but sent 2");
    }
}
