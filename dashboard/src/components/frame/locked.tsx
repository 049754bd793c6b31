import { Wordmark } from "./wordmark.tsx";

export function Locked() {
  return (
    <main class="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-4 px-6 py-16">
      <Wordmark />
      <h1>This dashboard needs its token</h1>
      <p class="text-soft">
        Open the address that <code class="text-ink">oldhand serve</code> printed: it ends in{" "}
        <code class="text-ink">#token=…</code>
      </p>
      <p class="text-soft">
        Nothing printed? Run <code class="text-ink">oldhand serve</code> in a terminal on this machine.
      </p>
    </main>
  );
}
