import type { BudgetPeriod, Pace } from "./budget-shapes.ts";
import { ALL_DAYS, type Days, daysOf, periodsBefore, type Today } from "./periods.ts";
import type { Spending } from "./spending.ts";

/** How many days are looked at for a forecast: eight weeks. */
const FORECAST_DAYS = 56;
/** And how many there have to be. */
const LEAST_DAYS = 14;
/** How many standard deviations to both sides of the mean hold four fifths of a normal distribution. */
const FOUR_FIFTHS = 1.2816;

/** How many periods of the past are looked at. */
const PERIODS = 4;

/** The first day that the pace of a period needs: a period more, to know whether the earliest is a whole one. */
export function firstDayForPace(period: BudgetPeriod, { today, weekStart }: Today): number {
  const present = daysOf(period, today, weekStart);
  if (present === null) return ALL_DAYS;
  const before = periodsBefore(period, present, { weekStart, count: PERIODS + 1 });
  return Math.min(today - FORECAST_DAYS - 1, ...before.map(({ first }) => first));
}

/** The pace of the present period; null for all time, which has no end. */
export function paceIn(spending: Spending, period: BudgetPeriod, when: Today): Pace | null {
  const { today, weekStart } = when;
  const present = daysOf(period, today, weekStart);
  if (present === null) return null;
  const previous = periodsBefore(period, present, { weekStart, count: PERIODS });
  return paceOf(spending, { present, previous, today });
}

/**
 * The pace of the present period. `previous` are the last ones, `today` is a day of the present one, and `before` of each day
 * what was spent until the clock shows what it shows now.
 */
function paceOf(
  spending: Spending,
  { present, previous, today }: { present: Days; previous: readonly Days[]; today: number },
): Pace {
  const costly = [...spending].flatMap(([day, { cost }]) => (cost > 0 ? [day] : []));
  const firstDay = Math.min(...costly);
  const whole = previous.filter((days) => days.first >= firstDay && spentIn(spending, days) > 0);
  const passed = today - present.first;
  const atThisPoint = whole.map(({ first, end }) => {
    const day = Math.min(first + passed, end);
    const untilNow = day < end ? (spending.get(day)?.before ?? 0) : 0;
    return spentIn(spending, { first, end: day }) + untilNow;
  });
  return {
    usual: atThisPoint.length === 0 ? null : mean(atThisPoint),
    periods: atThisPoint.length,
    forecast: forecastOf(spending, { present, today, firstDay }),
  };
}

/** US dollars. */
function spentIn(spending: Spending, { first, end }: Days): number {
  let spent = 0;
  for (const [day, { cost }] of spending) if (day >= first && day < end) spent += cost;
  return spent;
}

/**
 * What was spent, and for the rest of today and each day to come what that weekday has cost on average. The range is that of
 * a normal distribution, whose variance adds up how much each weekday has varied and how little is known of its mean, times
 * how much more weeks vary than their days do by themselves: busy days come together.
 */
function forecastOf(
  spending: Spending,
  { present, today, firstDay }: { present: Days; today: number; firstDay: number },
): Pace["forecast"] {
  const first = Math.max(firstDay, today - FORECAST_DAYS);
  if (!(today - firstDay >= LEAST_DAYS)) return null;
  const past = Array.from({ length: today - first }, (_, at) => first + at);
  const ofWeekday = (day: number): number[] =>
    past.filter((each) => (today - each) % 7 === (((today - day) % 7) + 7) % 7);
  const costs = (days: readonly number[]): number[] => days.map((day) => spending.get(day)?.cost ?? 0);
  const rests = ofWeekday(today).map((day) => {
    const { cost, before } = spending.get(day) ?? { cost: 0, before: 0 };
    return cost - before;
  });
  let [expected, variance] = [0, 0];
  const add = (samples: readonly number[], times: number): void => {
    expected += times * mean(samples);
    variance += times * varianceOf(samples) * (1 + times / samples.length);
  };
  add(rests, 1);
  for (let weekday = 0; weekday < 7; weekday++) {
    const tocome = Math.floor((present.end - today - 2 - weekday) / 7) + 1;
    if (tocome > 0) add(costs(ofWeekday(today + 1 + weekday)), tocome);
  }
  const deviation = Math.sqrt(variance * swing(costs(past))) * FOUR_FIFTHS;
  const spent = spentIn(spending, { first: present.first, end: present.end });
  if (costs(past).every((cost) => cost === 0)) return null;
  return { low: spent + Math.max(0, expected - deviation), high: spent + expected + deviation };
}

/** Of fewer weeks it is not known how much they vary. */
const LEAST_WEEKS = 4;
/** What is taken then, and what at least: found by going back over spending that was made up in different ways. */
const SWING = { unknown: 2, least: 1.5 };

/** How many times as much as the sum of its days a week varies, by the costs of days, the newest last. */
function swing(costs: readonly number[]): number {
  const weeks = Math.floor(costs.length / 7);
  if (weeks < LEAST_WEEKS) return SWING.unknown;
  const newest = costs.slice(-7 * weeks);
  const sums = Array.from({ length: weeks }, (_, week) => sumOf(newest.slice(7 * week, 7 * week + 7)));
  const days = Array.from({ length: 7 }, (_, weekday) =>
    varianceOf(newest.filter((_, at) => at % 7 === weekday)),
  );
  const byThemselves = sumOf(days);
  return byThemselves === 0 ? SWING.least : Math.max(SWING.least, varianceOf(sums) / byThemselves);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sofar, number) => sofar + number, 0);
}

function mean(numbers: readonly number[]): number {
  return sumOf(numbers) / numbers.length;
}

/** Of a sample: 0 for one alone. */
function varianceOf(numbers: readonly number[]): number {
  if (numbers.length < 2) return 0;
  const middle = mean(numbers);
  return sumOf(numbers.map((number) => (number - middle) ** 2)) / (numbers.length - 1);
}
