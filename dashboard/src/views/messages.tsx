import { useState } from "preact/hooks";
import { newSubject } from "../actions/subjects.ts";
import { useResource } from "../api/use-resource.ts";
import { ActionBar } from "../components/actions/action-bar.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { MessageRow } from "../components/messages/message-row.tsx";
import { noFilter, type View } from "../view.ts";

export const messages: View = {
  path: "/messages",
  title: "Messages",
  nav: { key: "e" },
  filter: noFilter,
  Page: Messages,
};

const PAGE = 50;

function Messages() {
  const [limit, setLimit] = useState(PAGE);
  const found = useResource("message/list", { limit: limit + 1 });
  return (
    <>
      <PageHead title="Messages" lead="What agents, and you, leave for each other">
        <ActionBar label="Send" subject={newSubject("message")} first={["message/send", "message/take"]} only />
      </PageHead>
      <Loaded resource={found} rows={4}>
        {({ messages: all }) =>
          all.length === 0 ? (
            <Empty
              title="No messages"
              text="Agents send them with their tool, and you with the button above or `oldhand message send`."
            />
          ) : (
            <>
              <ul aria-label="Messages" class="divide-y divide-line border-y border-line">
                {all.slice(0, limit).map((one) => (
                  <MessageRow key={one.id} message={one} />
                ))}
              </ul>
              {all.length > limit && limit + PAGE < 1_000 && (
                <p class="py-3 text-center">
                  <button type="button" class="press" onClick={() => setLimit(limit + PAGE)}>
                    Show more
                  </button>
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </>
  );
}
