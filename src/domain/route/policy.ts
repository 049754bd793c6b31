/** The router's parameters. Qualities are between 0 and 1, prices are per task. */
export interface RoutePolicy {
  /** The expected quality of an unknown model of median price. */
  readonly priorQuality: number;
  /** How much more quality is expected for each e-fold of price. */
  readonly priorSlope: number;
  /** How many outcomes that expectation is worth. */
  readonly priorWeight: number;
  /** How many models' outcomes `priorQuality` is worth against the observed level of the tasks. */
  readonly levelWeight: number;
  /** How many calls the listed price is worth. Costs vary about as much as their mean, so a few calls say little. */
  readonly priceWeight: number;
  /** How many outcomes at other kinds of tasks count, at most. */
  readonly borrowedWeight: number;
  /** How many models are explored at a time. */
  readonly poolSize: number;
  /** How much quality a model's price may cost before it is left out of the pool. */
  readonly priceGate: number;
  /** By how much a model without outcomes must look better than the whole pool to enter it. */
  readonly lead: number;
  /** For how many future tasks the learning is useful. */
  readonly foresight: number;
  /** How many tries of a model the value of trying it is computed for. */
  readonly lookahead: number;
  /** How many choices of a kind of task may explore, plus which share of all its choices. */
  readonly exploreFirst: number;
  readonly exploreShare: number;
  /** How many outcomes of a model are remembered; older ones fade as new ones come. */
  readonly memory: number;
  /**
   * How a fall of quality is noticed (Page's test): each verdict adds by how much it is below the mean before, less `fallSlack`.
   * Above `fallBound`, only the verdicts since the fall began are remembered.
   */
  readonly fallSlack: number;
  readonly fallBound: number;
  /** The half-life of an outcome in days, even if no new one comes. */
  readonly halfLifeDays: number;
  /** The weight of an outcome that was guessed and not verified. */
  readonly guessWeight: number;
  /** The share of its quality that a model is expected to keep on tasks that another model failed. */
  readonly afterFailure: number;
}

/** `oldhand bench router` measures a router with these values. */
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
  fallSlack: 0.3,
  fallBound: 4,
  halfLifeDays: 60,
  guessWeight: 0.25,
  afterFailure: 0.5,
};
