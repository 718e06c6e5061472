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
              "Participants who can't reach each other meet at a relay: `matinee host --relay nats://`_HOST_`:62846`. The relay forwards encrypted bytes and stores nothing. It shuts down gracefully on SIGTERM, SIGINT and SIGHUP: its clients are notified and change to the next relay of their list."
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
              "A unit for systemd's user manager is installed. It runs the relay under your account, without access to your files or anything else but the network. Its options are in the section `[relay]` of `matinee.conf`, see `matinee`(5)."
            ),
            .code([
              "systemctl --user enable --now matinee-relay",
              "loginctl enable-linger             # keeps it running after you log out",
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
          title: "See also",
          blocks: [.paragraph("`matinee`(1), `matinee-party`(7), `matinee`(5), `systemctl`(1)")]),
      ])
  }
}
