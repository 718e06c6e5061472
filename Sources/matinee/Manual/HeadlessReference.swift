import Screening

/// The commands and events of `--headless`, which are an interface for programs.
enum HeadlessReference {
  /// A command with its arguments, or an event with its fields.
  struct Entry: Hashable, Sendable {
    /// The first words of the lines: commands, or events.
    var names: [String]
    /// The term that the manual shows.
    var term: String
    var text: String

    init(_ names: String, _ term: String, _ text: String) {
      self.init(names.split(separator: " ").map(String.init), term, text)
    }

    init(_ names: [String], _ term: String, _ text: String) {
      self.names = names
      self.term = term
      self.text = text
    }
  }

  /// The commands, from their table.
  static let commands = UserCommandTable.rows.map { row in
    Entry([row.name] + row.aliases, "`\(row.usage)`", text(of: row))
  }

  private static func text(of row: UserCommandTable.Row) -> String {
    var sentences = [row.help.prefix(1).uppercased() + row.help.dropFirst()]
    if !row.values.isEmpty {
      let examples = row.examples.map { "`\($0)`" }.joined(separator: ", ")
      sentences.append(
        row.values.prefix(1).uppercased() + row.values.dropFirst() + ", as in " + examples)
    }
    if let mpv = row.mpv { sentences.append("mpv's `\(mpv)`") }
    if !row.aliases.isEmpty {
      sentences.append("Also " + row.aliases.map { "`\($0)`" }.joined(separator: ", "))
    }
    let conditions = [row.isPartyOnly ? "in a party only" : nil, row.permission.words]
      .compactMap(\.self)
    if !conditions.isEmpty {
      let words = conditions.joined(separator: ", ")
      sentences.append(words.prefix(1).uppercased() + words.dropFirst())
    }
    return sentences.map { $0 + "." }.joined(separator: " ")
  }

  static let events = [
    Entry("ready", "`ready`", "`version`: the program has started."),
    Entry(
      "hosting", "`hosting`",
      "`invite`; `addresses`: objects with `address` and `kind` (`public`, `ipv6`, `lan`, `machine`, `relay`, `named`, the last for the addresses of `--listen`); `router` (`searching`, `mapped`, `none`, `refused`, `behind-another`; null if the router isn't asked); `announced` (on the local network); `advice`: the part that can't be reached and what to do, or null; `news`: the router's answer as a sentence, or null."
    ),
    Entry(
      "invite", "`invite`",
      "The same fields, whenever one of them has changed: pass on this invite from now on."),
    Entry(
      "party", "`party`",
      "`name`, `party`, `addresses`: a party on the local network, from `join` without an invite, which then ends with exit status 64, or 69 if there is none. Its invite is `matinee://`_ADDRESS_`/`_PARTY_`#`_SECRET_."
    ),
    Entry("joined", "`joined`", "`id`, `name`, `host`: this participant has joined."),
    Entry("participants", "`participants`", "`participants`: the roster, as in `state`."),
    Entry(
      "participant-joined participant-left renamed",
      "`participant-joined`, `participant-left`, `renamed`",
      "`id`, `name`; `wasHere` (true for a participant who was in the party first); `announced` (false if the connection was lost); `from`, the old name."
    ),
    Entry(
      "activity", "`activity`",
      "`item`, `title`, `url` (null for a file), `by`, `cause`: another film (`chosen` by a participant, `following` in the playlist after the end of the one before it) or the first one (`current` when this participant joined, its `own` when it opened the party)."
    ),
    Entry(
      "playlist", "`playlist`", "`playlist`: objects with `item`, `title`, `url`, `current`."),
    Entry("opened", "`opened`", "`item`, `title`: the film is loaded here."),
    Entry(
      "command", "`command`",
      "`command` (`play`, `pause`, `seek`, `rate`, `ended`, `proposed`), `by` and `id` (whose it is), `position` in s, `rate`."
    ),
    Entry(
      "waiting", "`waiting`", "`for`: names, none when the wait is over; `seconds` that are left."),
    Entry(
      "suspension", "`suspension`",
      "`reasons`: why this participant is not in sync with the group."),
    Entry(
      "resuming", "`resuming`",
      "`position` in s: the film that was chosen here continues where you stopped watching it."),
    Entry(
      "replay-ended", "`replay-ended`",
      "`cause` (`caughtUp`, `stopped` by this participant, `groupMoved`, `filmChanged`, `filmEnded`, `sessionChanged`): the replay of `what-happened` is over."
    ),
    Entry("ready-check", "`ready-check`", "`by`: a participant asks whether everyone is ready."),
    Entry(
      "attention", "`attention`",
      "The party waits for an answer of yours, to the `ready-check` or `confirm` before it."),
    Entry(
      "rules", "`rules`",
      "`by`, `control`, `lifetime`, `waitFor`, `closed`, `changes` (in words): the party's rules changed."
    ),
    Entry(
      "video", "`video`",
      "`video` (`window`, `terminal`, `none`), `closed`: where the video is shown now, and whether its window was closed."
    ),
    Entry(
      "latency-offset", "`latency-offset`",
      "`ms`, `device` (null before audio plays): the offset was set, or another audio device has another one."
    ),
    Entry("chat", "`chat`", "`from`, `id`, `text`."),
    Entry("reaction", "`reaction`", "`from`, `id`, `reaction`, `symbol`."),
    Entry(
      "action", "`action`",
      "`from`, `id`, `action` (`queued`, `up-next`, `queue-changed`; from other programs also `play`, `pause`, `seek`, `skip`), `title`, `url`: another participant's program announces what its user did."
    ),
    Entry(
      "drawing-began", "`drawing-began`",
      "`by`, `again`: a participant began a drawing, or cleared it."),
    Entry(
      "drawing", "`drawing`",
      "`isDrawing`, `strokes`: objects with `by` and `points` (points in the video, 0 to 1), the lowest first; after each change."
    ),
    Entry(
      "confirm", "`confirm`",
      "`host`, `origin` (scheme, host and port), `url`, `ownNetwork` (the server is this machine or in its network), `commands`: the party's film is on a server that isn't trusted yet. Answer `allow` or `deny`."
    ),
    Entry(
      "library", "`library`",
      "`phase` (`looking`, `reading`, `idle`), `seen` (files), `read` and `toRead` (new or changed files), `unreadable` (folders): the progress of the scan."
    ),
    Entry(
      "folders", "`folders`", "`folders`: objects with `path`, `titles`, `away`, `scanned`."),
    Entry(
      "found", "`found`",
      "`found`: objects with `path`, `item` (null before the file was read), `duration` in s."),
    Entry(
      "parties", "`parties`",
      "`parties`: objects with `party`, `name`, `title`, `as`, `host`, `last`, `ending` (why it is over, or null), the last first."
    ),
    Entry("people", "`people`", "`people`: objects with `name`, `party`, `id`, `met`, `last`."),
    Entry("hosts", "`hosts`", "`hosts`: objects with `host`, `since`."),
    Entry(
      "met", "`met`",
      "`id`, `name`, `as`, `last`: a participant whom you met in this party on an earlier day, and their name then."
    ),
    Entry("ended", "`ended`", "`by`: the film was ended for everyone."),
    Entry(
      "end-of-film", "`end-of-film`",
      "`continues` (with the playlist's next film): the film was played to its end."),
    Entry(
      "party-closed", "`party-closed`",
      "`by`: the host ended the party, or quit the program that was its relay. `left` follows, and this participant continues alone. `rejoin` works once the host has opened the party again."
    ),
    Entry(
      "left", "`left`",
      "`closed`: this participant left the party; true if the party ended for others with that."),
    Entry(
      "connected disconnected", "`connected`, `disconnected`", "`relay`; `reason`."),
    Entry(
      "notice", "`notice`",
      "`message`: the answer to a command about this participant's own video, sound or library."),
    Entry(
      "warning error", "`warning`, `error`",
      "`message`; an error that a command caused has the command in `command`."),
    Entry(
      "missed", "`missed`",
      "`count`: events that were dropped, the oldest first, because more than 4096 waited for this program's reader. The newest `participants`, `playlist`, `drawing` and `library` are never dropped."
    ),
    Entry("state", "`state`", "See below."),
  ]

  static let state = [
    Entry("item", "`item`, `title`", "The film's identifier and title, null for none."),
    Entry("status", "`status`", "`empty`, `paused`, `waiting`, `playing`."),
    Entry("paused rate", "`paused`, `rate`", "Of the group's playback."),
    Entry(
      "position", "`position`",
      "This participant's position, in s: the group's, unless it is suspended."),
    Entry("groupPosition", "`groupPosition`", "The group's position, in s."),
    Entry(
      "playerPosition playerPaused", "`playerPosition`, `playerPaused`", "The state of mpv."),
    Entry("duration", "`duration`", "The film's length, in s."),
    Entry("playlist", "`playlist`", "As in the event."),
    Entry("waitingFor", "`waitingFor`", "The names that a start waits for."),
    Entry(
      "suspensions", "`suspensions`",
      "Why this participant is not in sync with the group; empty if it is. `cannotKeepUp`: its player is too slow for the film at its speed."
    ),
    Entry(
      "syncErrorMs", "`syncErrorMs`",
      "How far this player is ahead of the group, by mpv's own position; null while paused."),
    Entry("syncUncertaintyMs", "`syncUncertaintyMs`", "The uncertainty of that, either way."),
    Entry(
      "nudge", "`nudge`", "The speed correction: a factor beside the rate, 1 for none."),
    Entry("groupTime", "`groupTime`", "The party's clock, in s."),
    Entry("offsetMs", "`offsetMs`", "The party's clock minus this machine's monotonic clock."),
    Entry(
      "uncertaintyMs", "`uncertaintyMs`", "The uncertainty of the party's clock on this machine."),
    Entry(
      "wallClocks", "`wallClocks`",
      "How many other participants' wall clocks, kept by a time service that states its errors, make that uncertainty smaller than the exchanges of messages alone would."
    ),
    Entry(
      "roundTripMs", "`roundTripMs`",
      "The round trip to the participant whose clock the party uses."
    ),
    Entry(
      "clockDriftPpm", "`clockDriftPpm`", "How much faster that clock runs, in millionths."),
    Entry("latencyOffsetMs", "`latencyOffsetMs`", "The extra output delay that was set."),
    Entry("party", "`party`", "The party's id, null for none."),
    Entry(
      "closedBy", "`closedBy`",
      "The name of the host who closed the last party; null in a party, after `leave`, and once another film is opened."
    ),
    Entry("mayControl", "`mayControl`", "Whether this participant's commands act on everyone."),
    Entry("connected", "`connected`", "Whether there is a connection to a relay."),
    Entry(
      "rejected", "`rejected`", "The number of messages that were dropped: invalid, forged, stale."),
    Entry(
      "roster", "`roster`",
      "Objects with `id`, `name`, `host`, `role` (`host`, `co-host`, `guest`), `you`, `ready` (has the party's film open, follows the group, and isn't waited for), `suspensions`, `item`, `syncErrorMs`, `syncUncertaintyMs`, `loadedPercent` (null while the player doesn't wait for data)."
    ),
  ]
}
