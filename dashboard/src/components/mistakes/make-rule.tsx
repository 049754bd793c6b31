import { newSubject } from "../../actions/subjects.ts";
import type { RepeatedMistake } from "../../api/contract.ts";
import { ActionBar } from "../actions/action-bar.tsx";

/** For a mistake without a rule: accept the proposed rule, or write one. */
export function MakeRule({ mistake }: { readonly mistake: RepeatedMistake }) {
  const { rule, head, workspaces } = mistake;
  return (
    <div class="mt-2">
      {rule === null ? (
        <ActionBar
          subject={newSubject("rule", {
            state: {
              ...(head === null ? {} : { command: head }),
              ...(workspaces[0] ? { workspace: workspaces[0] } : {}),
            },
          })}
          first={["learn"]}
          only
          label="Write a rule"
        />
      ) : (
        <ActionBar subject={newSubject("mind")} first={["distil"]} only label="Make it a rule" />
      )}
    </div>
  );
}
