/** The numbers that a route is chosen by. Qualities are shares between 0 and 1, prices are money for one task. */
export interface RoutePolicy {
  /** The quality that is expected of a model of middle price about which nothing is known. */
  readonly priorQuality: number;
  /** How much more quality is expected for each e-fold of price. */
  readonly priorSlope: number;
  /** How many outcomes that expectation counts for. */
  readonly priorWeight: number;
  /** How many models' worth of outcomes `priorQuality` counts for, before the level of the tasks themselves is trusted. */
  readonly levelWeight: number;
  /** How many calls the listed price counts for. Costs vary as much as they are high, so a few calls tell little. */
  readonly priceWeight: number;
  /** How many outcomes with other kinds of tasks count for, at most. */
  readonly borrowedWeight: number;
  /** Among how many models is learned at a time. */
  readonly poolSize: number;
  /** How much quality the price of a model may cost before it is left out of the pool. */
  readonly priceGate: number;
  /** By how much a model outside the pool must look better than all in it to be let in, while it has no outcomes. */
  readonly lead: number;
  /** For how many tasks to come is of use what is learned now. */
  readonly foresight: number;
  /** How many tries of a model are weighed when it is asked what trying it is worth. */
  readonly lookahead: number;
  /** So many choices may explore at the beginning, and this share of all choices. */
  readonly exploreFirst: number;
  readonly exploreShare: number;
  /** How many outcomes of a model are remembered; older ones fade as new ones come. */
  readonly memory: number;
  /** After so many days an outcome counts half, also when none came since. */
  readonly halfLifeDays: number;
  /** What an outcome counts that was guessed and not verified. */
  readonly guessWeight: number;
  /** The share of its quality that a model is expected to keep on tasks that another model failed. */
  readonly afterFailure: number;
}

/** `oldhand bench router` measures a router with these numbers. */
export const routePolicy: RoutePolicy = {
  priorQuality: 0.6,
  priorSlope: 0.02,
  priorWeight: 8,
  levelWeight: 4,
  priceWeight: 20,
  borrowedWeight: 6,
  poolSize: 6,
  priceGate: 0.1,
  lead: 0.05,
  foresight: 60,
  lookahead: 8,
  exploreFirst: 20,
  exploreShare: 0.05,
  memory: 60,
  halfLifeDays: 60,
  guessWeight: 0.25,
  afterFailure: 0.5,
};
