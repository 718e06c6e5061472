/// The commands about the party, and those for the library and the program.
extension UserCommandTable {
  static let party: [Row] = [
    Row(
      .party, "chat", "TEXT", "a text", examples: ["chat Hello!"], isPartyOnly: true,
      help: "send a message to everyone", read: text { .say($0) }),
    Row(
      .party, "react", reactions.joined(separator: "|"),
      "a reaction (" + reactions.joined(separator: ", ") + ")", examples: ["react applause"],
      isPartyOnly: true, help: "send a reaction"
    ) { Reaction(rawValue: $0).map { .react($0) } },
    Row(
      .party, "vote", "[rewind|skip|next]", "rewind, skip or next", examples: ["vote skip"],
      by: .controllers, isPartyOnly: true,
      help: "ask everyone: back by 30 s, past the introduction, or the next film"
    ) { text in
      text.isEmpty ? .propose(.rewind) : Voting.Proposal(rawValue: text).map { .propose($0) }
    },
    Row(
      .party, "export", "FILE", "a new file that ends with .ass, .srt or .md",
      examples: ["export evening.md"],
      help: "write the chat and the reactions about this film to a file",
      read: text { .export($0) }),
    Row(
      .party, "echoes", help: "show or hide what was said at each place on earlier evenings",
      read: plain(.toggleEchoes)),
    Row(
      .party, "name", "NAME", "a name", examples: ["name Ana"],
      help: "change your name; a number is added if it is taken",
      read: text { .setName($0) }),
    Row(
      .party, "not-ready", help: "make a start wait for you, one minute at most",
      read: plain(.setReady(false))),
    Row(.party, "ready", help: "stop making a start wait for you", read: plain(.setReady(true))),
    Row(
      .party, "toggle-ready", isPartyOnly: true, help: "not ready / ready (start waits for you)",
      read: plain(.toggleReady)),
    Row(
      .party, "ready-check", "[SECONDS]", "nothing or 1 to 10 seconds",
      examples: ["ready-check 3"], by: .controllers, isPartyOnly: true,
      help: "ask everyone whether they are ready; the start waits for each answer"
    ) { text in
      guard !text.isEmpty else { return .askWhetherReady() }
      guard let seconds = Int(text), (1...ReadyCheck.longestCountdown).contains(seconds) else {
        return nil
      }
      return .askWhetherReady(countdown: seconds)
    },
    Row(.party, "host", aliases: ["open-party"], help: "open a party", read: plain(.host)),
    Row(
      .party, "join", "[INVITE]", "nothing or an invite",
      examples: ["join matinee://HOST:PORT/PARTY#SECRET"],
      help: "join a party; in a Syncplay room, without an invite, the one that was opened for it"
    ) { .join(invite: $0.isEmpty ? nil : $0) },
    Row(
      .party, "rejoin", "[PARTY]", "nothing or a party's id", examples: ["rejoin"],
      help: "rejoin your last party; with an id, that party"
    ) { .rejoin($0.isEmpty ? nil : $0) },
    Row(
      .party, "page", "[FILE]", "nothing or a file", examples: ["page party.html"],
      isPartyOnly: true,
      help: "make a link for one friend with a browser; with a file, write its page there"
    ) { .page($0.isEmpty ? nil : $0) },
    Row(
      .party, "syncplay", "[[HOST:]PORT]", "nothing or [HOST:]PORT", examples: ["syncplay 8999"],
      isPartyOnly: true, help: "let friends with Syncplay join through you; show where, and how"
    ) { text in
      text.isEmpty
        ? .syncplay(nil) : ListenAddress(portOrAddress: text).map { .syncplay($0) }
    },
    Row(
      .party, "share", "[480p|720p|1080p|off]", "nothing, 480p, 720p, 1080p or off",
      examples: ["share", "share 720p"],
      help:
        "let friends without your films watch them from you, while they arrive, or a smaller copy"
    ) { text in
      ["": .share(true), "off": .share(false)][text]
        ?? ShareQuality(rawValue: text).map { .share(true, $0) }
    },
    Row(
      .party, "share-subtitles", "[FILE]", "nothing or a subtitle file",
      examples: ["share-subtitles film.srt"], isPartyOnly: true,
      help: "let everyone choose your subtitles; without a file, the selected ones"
    ) { .shareSubtitles($0.isEmpty ? nil : $0) },
    Row(
      .party, "keep", "[FOLDER]", "nothing or a folder", examples: ["keep"], isPartyOnly: true,
      help: "keep a copy of the film that a friend shares, once all of it is here"
    ) { .keep(folder: $0.isEmpty ? nil : $0) },
    Row(
      .party, "leave", aliases: ["leave-party"],
      help: "leave the party; it ends if your program is its relay", read: plain(.leave)),
    Row(
      .party, "keep-relay", isPartyOnly: true,
      help: "quit; this machine relays for the party until everyone has left",
      read: plain(.keepRelay)),
    Row(
      .party, "end-party", by: .host, isPartyOnly: true,
      help: "end the party for everyone", read: plain(.endParty)),
  ]

  private static let reactions = Reaction.allCases.map(\.rawValue)

  /// Returns a row whose argument is a participant's name.
  private static func person(
    _ name: String, by permission: Permission = .host, help: String,
    _ rule: @escaping @Sendable (String) -> UserCommand.Rule
  ) -> Row {
    Row(
      .party, name, "NAME", "a participant's name", examples: ["\(name) Ana"], by: permission,
      isPartyOnly: true, help: help, read: text { .rule(rule($0)) })
  }

  static let rules: [Row] = [
    Row(
      .party, "control", "everyone|hosts", "everyone or hosts", examples: ["control hosts"],
      by: .host, isPartyOnly: true, help: "choose who may control playback",
      read: choice(["everyone": .rule(.control(.everyone)), "hosts": .rule(.control(.hosts))])
    ),
    Row(
      .party, "wait-for", "everyone|nobody", "everyone or nobody", examples: ["wait-for nobody"],
      by: .host, isPartyOnly: true,
      help: "choose whether a start waits for trailers and participants who aren't ready",
      read: choice(["everyone": .rule(.waitFor(.everyone)), "nobody": .rule(.waitFor(.nobody))])
    ),
    Row(
      .party, "lifetime", "automatic|host", "automatic or host", examples: ["lifetime host"],
      by: .host, isPartyOnly: true, help: "end the party when the host leaves, or not",
      read: choice([
        "automatic": .rule(.lifetime(.automatic)), "host": .rule(.lifetime(.endsWhenHostLeaves)),
      ])
    ),
    person("co-host", help: "make a participant co-host") { .coHost(name: $0) },
    person("guest", help: "make a co-host a guest again") { .guest(name: $0) },
    person("hand-over", help: "hand your role as host to a participant") { .handOver(name: $0) },
    person("remove", by: .coHosts, help: "remove a participant from the party") {
      .remove(name: $0)
    },
    Row(
      .party, "lock", aliases: ["close"], by: .coHosts, isPartyOnly: true,
      help: "lock the party: refuse newcomers",
      read: plain(.rule(.close))),
    Row(
      .party, "unlock", aliases: ["open"], by: .coHosts, isPartyOnly: true,
      help: "unlock the party: admit newcomers again",
      read: plain(.rule(.open))),
  ]

  static let drawing: [Row] = [
    Row(
      .drawing, "draw", "[X Y…]", "points in the film (0 to 1, from the upper left corner)",
      examples: ["draw", "draw 0.1 0.2 0.5 0.8"], isPartyOnly: true,
      help: "draw on the film together; with points, draw a line through them"
    ) { ArgumentText.points($0).map { .drawing(.draw($0)) } },
    Row(
      .drawing, "pen-down", "X Y", "a point in the film (0 to 1)", examples: ["pen-down 0.1 0.2"],
      isPartyOnly: true, help: "begin a line"
    ) { ArgumentText.point($0).map { .drawing(.press(at: $0)) } },
    Row(
      .drawing, "pen-move", "X Y", "a point in the film (0 to 1)", examples: ["pen-move 0.5 0.8"],
      isPartyOnly: true, help: "continue the line"
    ) { ArgumentText.point($0).map { .drawing(.move(to: $0)) } },
    Row(.drawing, "pen-up", isPartyOnly: true, help: "end the line", read: plain(.drawing(.lift))),
    Row(
      .drawing, "undo", isPartyOnly: true, help: "undo your last line", read: plain(.drawing(.undo))
    ),
    Row(
      .drawing, "reset-drawing", isPartyOnly: true, help: "clear the drawing for everyone",
      read: plain(.drawing(.reset))),
    Row(.drawing, "leave-drawing", help: "leave the drawing", read: plain(.drawing(.leave))),
  ]

  static let library: [Row] = [
    Row(.library, "folders", help: "list the media folders", read: plain(.library(.folders))),
    Row(
      .library, "add-folder", "FOLDER", "a folder", examples: ["add-folder Videos"],
      help: "add a media folder", read: text { .library(.addFolder($0)) }),
    Row(
      .library, "drop-folder", "FOLDER", "a folder (to list the folders, type: folders)",
      examples: ["drop-folder Videos"], help: "remove a media folder",
      read: text { .library(.dropFolder($0)) }),
    Row(.library, "scan", help: "scan the media folders again", read: plain(.library(.scan))),
    Row(
      .library, "search", "WORDS", "words of a film's name", examples: ["search big trees"],
      help: "find films in the media folders by name", read: text { .library(.search($0)) }),
    Row(
      .library, "moments", help: "list the moments of films that several of you marked",
      read: plain(.library(.moments))),
    Row(.library, "parties", help: "list the recent parties", read: plain(.library(.parties))),
    Row(
      .library, "forget-party", "PARTY", "a party's id (to list the parties, type: parties)",
      examples: ["forget-party ID"], help: "forget a party",
      read: text { .library(.forgetParty($0)) }),
    Row(.library, "people", help: "list the people met", read: plain(.library(.people))),
    Row(
      .library, "hosts", help: "list the servers trusted permanently", read: plain(.library(.hosts))
    ),
    Row(
      .library, "forget-host", "HOST", "a server (to list the trusted servers, type: hosts)",
      examples: ["forget-host films.example.org"], help: "stop trusting a server",
      read: text { .library(.forgetHost($0)) }),
  ]

  static let program: [Row] = [
    Row(.program, "state", help: "report the state of playback and the party", read: plain(.state)),
    Row(
      .program, "quit", mpv: "quit", help: "leave the party and end the program", read: plain(.quit)
    ),
  ]
}
