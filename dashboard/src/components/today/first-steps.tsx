import { WithCommands } from "../with-commands.tsx";

const steps = [
  {
    title: "Watch your agents",
    text: "`oldhand install` connects the agents on this machine. From then on, what they do is recorded here.",
  },
  {
    title: "Bring in what was before",
    text: "`oldhand import` reads the sessions that agents left on this machine. It may take a few minutes.",
  },
  {
    title: "Or look around first",
    text: "`oldhand start` shows a made-up sample in a separate mind, if there is nothing of your own yet.",
  },
] as const;

/** Shown in a mind without events: what to do next. */
export function FirstSteps() {
  return (
    <section aria-labelledby="first-steps">
      <h2 id="first-steps" class="mb-2">
        Nothing is recorded yet
      </h2>
      <ol class="grid gap-4 sm:grid-cols-3">
        {steps.map(({ title, text }, index) => (
          <li key={title} class="rounded-md border border-line bg-raised px-4 py-3">
            <p class="font-medium">
              <span class="mr-2 text-faint">{index + 1}</span>
              {title}
            </p>
            <p class="mt-1 text-sm text-soft">
              <WithCommands text={text} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}
