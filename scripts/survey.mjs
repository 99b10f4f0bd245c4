// Writes www/data/survey.csv, the sample table of the page: 500 invented people of four stages of life, who answer accordingly, and 7 % of
// their answers missing. Nobody was asked; the same numbers come out each time.
import { writeFileSync } from "node:fs";

const ROWS = 500;
const MISSING = 0.07;

let state = 84;
/** Uniform from 0 to 1 (mulberry32). */
function uniform() {
  state = (state + 0x6d2b79f5) | 0;
  let x = Math.imul(state ^ (state >>> 15), state | 1);
  x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
  return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
}

/** How much more alike people of one stage answer than the shares below say. */
const SHARPER = 1.8;

function pick(shares) {
  const weights = Object.entries(shares).map(([value, share]) => [value, Math.max(share, 0) ** SHARPER]);
  let left = uniform() * weights.reduce((sum, [, weight]) => sum + weight, 0);
  return (weights.find(([, weight]) => (left -= weight) < 0) ?? weights[0])[0];
}
const chance = (share) => pick({ yes: share, no: 1 - share });
const around = (middle, width) => Math.max(0, Math.round(middle + width * (uniform() + uniform() + uniform() - 1.5)));

// Of students, people who work and live alone, families, and the retired.
const STAGES = [0.22, 0.26, 0.3, 0.22];
const QUESTIONS = {
  age: (s) => pick([{ "18-29": 19, "30-44": 1 }, { "18-29": 4, "30-44": 9, "45-59": 6 }, { "30-44": 12, "45-59": 8 }, { "45-59": 1, "60+": 19 }][s]),
  region: () => pick({ north: 3, south: 2, east: 2, west: 3 }),
  lives_in: (s) => pick([{ city: 8, town: 2, country: 0.5 }, { city: 6, town: 3, country: 1 }, { city: 2, town: 5, country: 4 }, { city: 2, town: 4, country: 4 }][s]),
  home: (s, a) => (s === 0 ? chance(0.05) : chance(a.lives_in === "city" ? 0.25 : s === 1 ? 0.45 : 0.8)) === "yes" ? "owns" : "rents",
  children: (s) => chance([0.02, 0.05, 0.95, 0.1][s]),
  work: (s) => pick([{ "full time": 1, "part time": 6, "no job": 4 }, { "full time": 9, "part time": 1 }, { "full time": 6, "part time": 4, "no job": 1 }, { "part time": 1, "no job": 12 }][s]),
  commute_minutes: (s, a) => (a.work === "no job" ? 0 : around({ city: 22, town: 34, country: 48 }[a.lives_in], 24)),
  car: (s, a) => chance({ city: [0.05, 0.3, 0.6, 0.4], town: [0.2, 0.7, 0.92, 0.75], country: [0.5, 0.95, 0.99, 0.9] }[a.lives_in][s]),
  bus_or_train: (s, a) => chance(a.car === "yes" ? 0.2 : 0.88),
  bicycle: (s, a) => chance([0.75, 0.5, 0.6, 0.25][s] * (a.lives_in === "country" ? 0.7 : 1)),
  sport: (s) => pick([{ often: 5, sometimes: 4, never: 2 }, { often: 5, sometimes: 3, never: 2 }, { often: 2, sometimes: 6, never: 3 }, { often: 2, sometimes: 3, never: 5 }][s]),
  smoker: (s, a) => chance(a.sport === "often" ? 0.06 : a.sport === "never" ? 0.38 : 0.2),
  diet: (s) => pick([{ everything: 5, vegetarian: 3, vegan: 2 }, { everything: 7, vegetarian: 2, vegan: 1 }, { everything: 8, vegetarian: 2 }, { everything: 12, vegetarian: 1 }][s]),
  newspaper: (s) => pick([{ never: 7, weekly: 3, daily: 1 }, { never: 4, weekly: 4, daily: 2 }, { never: 4, weekly: 4, daily: 2 }, { never: 1, weekly: 2, daily: 9 }][s]),
  news_on_phone: (s, a) => chance([0.97, 0.9, 0.8, 0.3][s] - (a.newspaper === "daily" ? 0.15 : 0)),
  streams_films: (s) => chance([0.97, 0.85, 0.8, 0.25][s]),
  watches_television: (s, a) => chance(a.streams_films === "yes" ? [0.15, 0.3, 0.45, 0.9][s] : 0.93),
  pet: (s, a) => pick(a.lives_in === "country" ? { dog: 5, cat: 4, "no pet": 2 } : s === 2 ? { dog: 3, cat: 4, "no pet": 4 } : { dog: 1, cat: 3, "no pet": 8 }),
  volunteers: (s) => chance([0.15, 0.12, 0.3, 0.55][s]),
  voted: (s, a) => chance([0.5, 0.7, 0.75, 0.9][s] + (a.volunteers === "yes" ? 0.09 : -0.05)),
};

const lines = [Object.keys(QUESTIONS).join(",")];
for (let row = 0; row < ROWS; row++) {
  let left = uniform();
  const stage = Math.max(0, STAGES.findIndex((share) => (left -= share) < 0));
  const answers = {};
  for (const [question, answer] of Object.entries(QUESTIONS)) answers[question] = answer(stage, answers);
  lines.push(Object.values(answers).map((answer) => (uniform() < MISSING ? "" : answer)).join(","));
}
writeFileSync(new URL("../www/data/survey.csv", import.meta.url), `${lines.join("\n")}\n`);
