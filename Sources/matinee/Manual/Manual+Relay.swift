extension Manual {
  /// matinee-relay(1).
  var relay: ManualPage {
    let relay = program.subcommand("relay")
    return ManualPage(
      name: "matinee-relay", number: 1, abstract: "a relay for Matinee's parties, without a player",
      version: version,
      sections: [
        .init(title: "Synopsis", blocks: [.paragraph("`matinee relay` [_OPTIONS_]")]),
        .init(
          title: "Description",
          blocks: [
            .paragraph(
              "People who can't reach each other meet here: `matinee host --relay nats://`_HOST_`:62846`. The relay sees sealed bytes, and keeps nothing. It ends in order on SIGTERM, SIGINT and SIGHUP: its clients are told, and go to the next relay of their list."
            )
          ]
            + (relay?.discussion ?? "").split(separator: "\n\n").map {
              .paragraph(String($0).joiningLines.unmarked)
            }),
        .init(title: "Options", blocks: relay.map { Self.options(of: $0) } ?? []),
        .init(
          title: "As a service",
          blocks: [
            .paragraph(
              "A unit for systemd's user manager is installed: it runs the relay as you, shut off from your files and from all but the network. Its options are those of the section `[relay]` in `matinee.conf`, see `matinee`(5)."
            ),
            .code([
              "systemctl --user enable --now matinee-relay",
              "loginctl enable-linger             # also while you aren't logged in",
              "journalctl --user -u matinee-relay",
            ]),
          ]),
        .init(
          title: "Environment",
          blocks: [
            .item(
              "`MATINEE_RELAY_`_OPTION_", "Any of the options above, as in `MATINEE_RELAY_LISTEN`.")
          ]),
        Self.exitStatus,
        .init(
          title: "See also", blocks: [.paragraph("`matinee`(1), `matinee`(5), `systemctl`(1)")]),
      ])
  }
}
