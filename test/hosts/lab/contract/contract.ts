import { describeHost } from "../driven.ts";
import { playSession } from "./session.ts";
import type { Contract, HostContract } from "./terms.ts";
import { itGoesOn, itIsAdvised, itIsImported, itIsStored, itIsTakenBack, itWorksAsBefore } from "./tests.ts";

/** What is the same on every host. What is special to one is in `own`, and runs in the same lab before oldhand is taken out. */
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
