import { describeHost } from "../driven.ts";
import { playSession } from "./session.ts";
import type { Contract, HostContract } from "./terms.ts";
import { itGoesOn, itIsAdvised, itIsImported, itIsStored, itIsTakenBack, itWorksAsBefore } from "./tests.ts";

/**
 * The tests that all hosts share. A host's own tests are in `own` and run in the same lab before oldhand is
 * uninstalled.
 */
export function hostContract(host: HostContract, own: (contract: Contract) => void = () => {}): void {
  describeHost(`${host.title} ${host.host.client.version}`, host.host, (driver) => {
    const played = playSession(host, driver);
    itWorksAsBefore(host, played);
    itIsStored(host, played);
    itIsAdvised(host, played);
    itIsImported(host, played);
    itGoesOn(host, driver);
    own(played);
    itIsTakenBack(host, played);
  });
}
