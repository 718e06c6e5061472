import Timekeeping

/// The commands about playback and films, video and sound.
extension UserCommandTable {
  /// Returns a reader of a command without an argument.
  static func plain(_ command: UserCommand) -> @Sendable (String) -> UserCommand? {
    { $0.isEmpty ? command : nil }
  }

  /// Returns a reader of one of several words.
  static func choice(_ commands: [String: UserCommand]) -> @Sendable (String) -> UserCommand? {
    { commands[$0] }
  }

  /// Returns a reader of any text but an empty one.
  static func text(
    _ command: @escaping @Sendable (String) -> UserCommand
  ) -> @Sendable (String) -> UserCommand? {
    { $0.allSatisfy(\.isWhitespace) ? nil : command($0) }
  }

  static let playback: [Row] = [
    Row(
      .playback, "play", "[now]", "nothing or now", examples: ["play", "play now"],
      mpv: "set pause no", by: .controllers,
      help:
        "start together when everyone is ready, after ten seconds at most; now: without waiting"
    ) { ["", "now"].contains($0) ? .play(immediately: $0 == "now") : nil },
    Row(
      .playback, "pause", mpv: "set pause yes", by: .controllers,
      help: "pause everyone on this participant's frame", read: plain(.pause)),
    Row(
      .playback, "play-pause", mpv: "cycle pause", by: .controllers,
      help: "play or pause, for everyone",
      read: plain(.playPause)),
    Row(
      .playback, "stop-playback", by: .controllers, help: "pause and return to the beginning",
      read: plain(.stop)),
    Row(
      .playback, "seek", "TIME|+TIME|-TIME|PERCENT%",
      "seconds or h:mm:ss up to 9999999 s, + or - before a distance, or 0% to 100%",
      examples: ["seek 754.5", "seek 12:34", "seek +10", "seek -10", "seek 50%"],
      mpv: "seek TIME [absolute]", by: .controllers,
      help: "go to a position; with + or -, forward or back"
    ) { text in
      switch TimeEntry(text) {
      case nil: nil
      case .absolute(let time):
        time.seconds < ArgumentText.longestTime ? .seek(to: time) : nil
      case .relative(let distance):
        abs(distance / .seconds(1)) < ArgumentText.longestTime ? .skip(by: distance) : nil
      case .fraction(let fraction): .seekPercent(fraction * 100, isRelative: false)
      }
    },
    Row(
      .playback, "chapter", "N", "a number of chapters, -100 to 100",
      examples: ["chapter 1", "chapter -1"], mpv: "add chapter N", by: .controllers,
      help: "go forward or back by chapters (by 10 min without chapters)"
    ) { ArgumentText.integer($0, in: -100...100).flatMap { $0 == 0 ? nil : .seekChapter(by: $0) } },
    Row(
      .playback, "frame-step", mpv: "frame-step", by: .controllers, help: "step one frame forward",
      read: plain(.frameStep(by: 1))),
    Row(
      .playback, "frame-back-step", mpv: "frame-back-step", by: .controllers,
      help: "step one frame back", read: plain(.frameStep(by: -1))),
    Row(
      .playback, "rate", "SPEED|+SPEED|-SPEED|*FACTOR",
      "a speed, 0.01 to 100, with + or - a change, with * a factor",
      examples: ["rate 1.25", "rate +0.1", "rate *1.1"], aliases: ["speed"],
      mpv: "set speed SPEED", by: .controllers, help: "set or change the speed"
    ) { text in
      if text.hasPrefix("*") {
        return ArgumentText.number(text.dropFirst(), in: ArgumentText.rates)
          .map { .multiplyRate(by: $0) }
      }
      if text.hasPrefix("+") || text.hasPrefix("-") {
        return ArgumentText.number(text, in: -100...100).map { .addRate($0) }
      }
      return ArgumentText.number(text, in: ArgumentText.rates).map { .setRate($0) }
    },
    Row(
      .playback, "cycle-rates", "SPEED…", "speeds, 0.01 to 100", examples: ["cycle-rates 1 1.5 2"],
      mpv: "cycle-values speed SPEED…", by: .controllers,
      help: "set the speed that follows the current one in a list"
    ) { text in
      guard let rates = ArgumentText.numbers(text, in: ArgumentText.rates), !rates.isEmpty else {
        return nil
      }
      return .cycleRates(rates)
    },
    Row(
      .playback, "preview", "TIME|cancel", "seconds or h:mm:ss up to 9999999 s, or cancel",
      examples: ["preview 754.5", "preview cancel"], aliases: ["scrub"],
      help: "preview another position alone; cancel: return"
    ) { $0 == "cancel" ? .endScrub(at: nil) : ArgumentText.position($0).map { .scrub(to: $0) } },
    Row(
      .playback, "take-everyone", "TIME", "seconds or h:mm:ss up to 9999999 s",
      examples: ["take-everyone 754.5"], aliases: ["release"], by: .controllers,
      help: "end a preview, and take everyone there"
    ) { ArgumentText.position($0).map { .endScrub(at: $0) } },
    Row(
      .playback, "step-away", "[REASON]", "a reason",
      examples: ["step-away", "step-away cooking"], aliases: ["suspend"], isPartyOnly: true,
      help: "watch at your own pace"
    ) { .suspend($0.isEmpty ? .steppedAway : .init(rawValue: $0)) },
    Row(
      .playback, "resume", help: "rejoin everyone at their position", read: plain(.resume)
    ),
    Row(
      .playback, "catch-up", isPartyOnly: true,
      help: "catch up: replay the last 10 s at 2× (just you)", read: plain(.whatHappened)),
  ]

  private static let resume = " --resume"
  private static let forEveryone = " --for-everyone"

  static let films: [Row] = [
    Row(
      .films, "load", "FILE|URL [--resume|--for-everyone]",
      "a file or a URL, --resume to continue where you stopped watching it, or --for-everyone to "
        + "replace a film of the party that you don't have",
      examples: ["load film.mkv"], aliases: ["open-url"], mpv: "loadfile FILE|URL",
      by: .controllers, help: "open a film, for everyone in a party",
      read: text {
        if $0.hasSuffix(resume) { return .loadResumed(String($0.dropLast(resume.count))) }
        guard $0.hasSuffix(forEveryone) else { return .load($0) }
        return .loadForEveryone(String($0.dropLast(forEveryone.count)))
      }),
    Row(
      .films, "same-film", "FILE", "a file", examples: ["same-film other-encoding.mkv"],
      isPartyOnly: true, help: "watch your copy of the party's film, aligned by its sound",
      read: text { .sameFilm($0) }),
    Row(
      .films, "offset", "SECONDS|by SECONDS", "seconds up to a day, or by and the seconds to add",
      examples: ["offset 12.4", "offset by -0.1"], isPartyOnly: true,
      help: "how much later your other copy of the film is"
    ) { text in
      let isChange = text.hasPrefix("by ")
      return ArgumentText.number(text.dropFirst(isChange ? 3 : 0), in: -86400...86400).map {
        .offset(.seconds($0), isChange: isChange)
      }
    },
    Row(
      .films, "load-alone", "FILE|URL", "a file or a URL", examples: ["load-alone film.mkv"],
      help: "open a film for you only; resume returns", read: text { .loadAlone($0) }),
    Row(
      .films, "enqueue", "FILE|URL|FOLDER", "a file, a URL or a folder",
      examples: ["enqueue film.mkv", "enqueue Videos"], aliases: ["queue"], by: .controllers,
      help: "add to the playlist; of a folder all films", read: text { .enqueue($0) }),
    Row(
      .films, "next", mpv: "playlist-next", by: .controllers,
      help: "next film in the playlist", read: plain(.advance(by: 1))),
    Row(
      .films, "previous", mpv: "playlist-prev", by: .controllers,
      help: "previous film in the playlist", read: plain(.advance(by: -1))),
    Row(
      .films, "watch", "N", "a position in the playlist, from 1", examples: ["watch 2"],
      mpv: "playlist-play-index N", by: .controllers,
      help: "play a film of the playlist (mpv counts from 0)"
    ) { ArgumentText.index($0).map { .watch(entry: $0) } },
    Row(
      .films, "move", "FROM TO", "two positions in the playlist, from 1", examples: ["move 3 1"],
      by: .controllers, help: "move a film in the playlist"
    ) { text in
      let places = text.split(whereSeparator: \.isWhitespace).compactMap { ArgumentText.index($0) }
      return places.count == 2 ? .moveEntry(from: places[0], to: places[1]) : nil
    },
    Row(
      .films, "drop", "N", "a position in the playlist, from 1", examples: ["drop 2"],
      by: .controllers, help: "remove a film from the playlist"
    ) { ArgumentText.index($0).map { .dropEntry($0) } },
    Row(
      .films, "end", by: .controllers, isPartyOnly: true,
      help: "end the film for everyone; the party continues", read: plain(.endFilm)),
    Row(
      .films, "allow", "[always]", "nothing or always", examples: ["allow", "allow always"],
      help: "trust the server of the party's film for this run; always: permanently"
    ) { ["", "always"].contains($0) ? .answer(true, forGood: $0 == "always") : nil },
    Row(
      .films, "deny", help: "say no to a question",
      read: plain(.answer(false, forGood: false))),
  ]

  static let sound: [Row] = [
    Row(
      .sound, "volume", "PERCENT|+PERCENT|-PERCENT",
      "per cent of full volume, 0 to 1000, with + or - a change",
      examples: ["volume 80", "volume +5"], mpv: "add volume PERCENT",
      help: "set or change your volume"
    ) { text in
      if text.hasPrefix("+") || text.hasPrefix("-") {
        return ArgumentText.number(text, in: -1000...1000).map { .changeVolume(by: $0) }
      }
      return ArgumentText.number(text, in: 0...1000).map { .setVolume($0) }
    },
    Row(
      .sound, "mute", mpv: "cycle mute", help: "mute or unmute (just you)", read: plain(.toggleMute)
    ),
    Row(
      .sound, "duck", "[on|off]", "nothing, on or off", examples: ["duck on"],
      help: "lower the film while people talk in a call program, or not (just you)",
      read: choice(["": .duck(nil), "on": .duck(true), "off": .duck(false)])),
    Row(
      .sound, "latency-offset", "MS|0.18s",
      "milliseconds, -2000 to 10000 (or seconds, as 0.18s)",
      examples: ["latency-offset 180", "latency-offset 0.18s"],
      help: "set the extra output delay of your TV or speaker"
    ) { text in
      ArgumentText.delay(text).flatMap {
        ArgumentText.outputLatencies.contains($0) ? .setLatencyOffset($0) : nil
      }
    },
    Row(
      .sound, "output-later", help: "sound delay +10 ms (for Bluetooth, TVs)",
      read: plain(.changeLatencyOffset(by: 1))),
    Row(
      .sound, "output-earlier", help: "sound delay −10 ms (for Bluetooth, TVs)",
      read: plain(.changeLatencyOffset(by: -1))),
    Row(
      .sound, "next-audio", mpv: "cycle audio", help: "next audio track", read: plain(.cycleAudio)),
    Row(
      .sound, "next-subtitles", mpv: "cycle sub", help: "next subtitles",
      read: plain(.cycleSubtitles(by: 1))),
    Row(
      .sound, "previous-subtitles", mpv: "cycle sub down", help: "previous subtitles",
      read: plain(.cycleSubtitles(by: -1))),
    Row(
      .sound, "toggle-subtitles", mpv: "cycle sub-visibility", help: "hide or show subtitles",
      read: plain(.toggleSubtitles)),
    Row(
      .sound, "next-video-output", mpv: "cycle video",
      help: "picture: terminal → window → off",
      read: plain(.cycleVideo)),
    Row(
      .sound, "picture-in-picture", help: "make mpv's window small, or restore it",
      read: plain(.togglePictureInPicture)),
    Row(
      .sound, "fullscreen", "on|off", "on or off", examples: ["fullscreen on"],
      help: "set whether mpv's window covers the screen"
    ) { ["on", "off"].contains($0) ? .setFullscreen($0 == "on") : nil },
    Row(
      .sound, "mpv", "COMMAND", "an mpv command that affects only you",
      examples: ["mpv add sub-delay 0.1", "mpv screenshot"], help: "run an mpv command"
    ) { text throws(UserCommandProblem) in
      let found = try UserCommand(mpv: text.split(whereSeparator: \.isWhitespace).map(String.init))
      // Some of mpv's commands that concern only this player are the program's own too: “cycle audio”.
      return found.flatMap { row($0.name)?.section == .sound ? $0 : nil }
    },
  ]
}
