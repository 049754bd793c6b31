/** Which process tries a failing provider, which one holds a reservation, and at which address a model was not known. */
export const holders = `
alter table breakers add column probe_by text;
alter table model_reservations add column holder text;
alter table retired_models add column url text;
`;
