extension Manual {
  /// matinee-headless(7): the interface for programs, and for screen readers.
  var headless: ManualPage {
    ManualPage(
      name: "matinee-headless", number: 7, abstract: "Matinee for scripts, bots and screen readers",
      version: version,
      sections: [
        .init(
          title: "Description",
          blocks: [
            .paragraph(
              "With `--headless`, `matinee`(1) draws no screen. It reads one command per line on standard input and writes one JSON object per line on standard output. The end of the input quits. Every command but `relay`, `doctor` and `calibrate` takes the option."
            ),
            .paragraph(
              "With `--screen-reader` it reads the same commands and writes one sentence per line for each event, and nothing that moves. `help`, `state`, `who`, `playlist` and `invite` are answered in sentences too."
            ),
            .code([
              "$ matinee --headless film.mkv", #"{"event":"ready","version":"\#(version)"}"#,
              #"{"event":"opened","item":"...","title":"film"}"#, "play",
              #"{"by":"ana","command":"play","event":"command","position":0,"rate":1}"#,
            ]),
          ]),
        .init(
          title: "Commands", blocks: HeadlessReference.commands.map { .item($0.term, $0.text) }),
        .init(
          title: "Events",
          blocks: [
            .paragraph(
              "Every object has `event`; the other fields depend on it. In a `path`, each byte that isn't UTF-8 is a character from U+EF80 to U+EFFF, for 0x80 to 0xFF; commands take it as it is, or the bytes themselves."
            )
          ]
            + HeadlessReference.events.map { .item($0.term, $0.text) }),
        .init(
          title: "The state event",
          blocks: HeadlessReference.state.map { .item($0.term, $0.text) }),
        Self.exitStatus,
        .init(title: "See also", blocks: [.paragraph("`matinee`(1), `matinee-party`(7)")]),
      ])
  }
}
