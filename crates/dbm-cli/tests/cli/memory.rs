//! Models too large for the memory are refused before anything is allocated.

use crate::folder::Folder;

#[test]
fn what_does_not_fit_is_refused_at_once_with_its_size() {
    let folder = Folder::new("refusal");
    for absurd in ["4000000,4000000", "4294967295,4294967295,4294967295", "40000,40000"] {
        let said =
            folder.fails(2, &format!("train --data digits --digits 20 --hidden {absurd} --steps 1 --out x --memory-limit 8G"));
        let named = format!("784-{}", absurd.replace(',', "-"));
        for words in [&named, "B of memory", "parameters", "the limit is 8.0 GB", "smaller layers", "--memory-limit"] {
            assert!(said.contains(words), "no {words:?}: {said}");
        }
        folder.fails(2, &format!("bench --digits 20 --hidden {absurd} --memory-limit 8G"));
        folder.fails(2, &format!("compare --data bars --hidden {absurd} --steps 2 --out x.csv --memory-limit 8G"));
        // Without a user's limit, the machine's applies.
        folder.fails(2, &format!("train --data digits --digits 20 --hidden {absurd} --steps 1 --out x"));
    }
    folder.ok("train --data bars --hidden 40,30 --batch 10 --threads 1 --out x.safetensors --steps 1 --memory-limit 1M");
    // Pretraining takes four copies even if what follows takes two.
    folder.fails(2, "train --data bars --hidden 300,300 --optimizer sgd --batch 1 --threads 1 --steps 1 --out y --pretrain 1 --memory-limit 1.9M");
    folder.ok("train --data bars --hidden 300,300 --optimizer sgd --batch 1 --threads 1 --steps 1 --out y --memory-limit 1.9M");
}
