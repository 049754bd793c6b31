export function NotFound() {
  return (
    <section class="py-10">
      <h1 tabIndex={-1}>There is no such page</h1>
      <p class="mt-2 text-soft">
        The address may be mistyped, or from another version.{" "}
        <a href="/" class="underline">
          Go to Today.
        </a>
      </p>
    </section>
  );
}
