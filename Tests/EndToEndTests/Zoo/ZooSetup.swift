import Foundation
import ProcessTesting
import Testing

/// One person's mpv, as people configure it.
struct ZooSetup: Sendable, CustomTestStringConvertible {
  let name: String
  /// A shell script that writes the configuration. It runs in a folder with the person's film, `films/E01.mkv`, and an
  /// empty folder `mpv`. The next episode is `$next`.
  let script: String
  var film = ZooFilm.episode
  /// What a program of the person sends to mpv's control socket, in JSON.
  var message: String?
  /// The command of the group that must follow from the message; nil if nothing may follow.
  var command: String?
  /// A Boolean value that indicates whether the person may be separated from the group instead, which is said.
  var mayPart = false

  var testDescription: String { name }

  /// Writes the configuration to a new folder, and returns the folder.
  func install() throws -> URL {
    // Short, for the path of the socket.
    let folder = URL(fileURLWithPath: "/tmp/zoo-\(UUID().uuidString.prefix(8))")
    for name in ["films", "mpv/scripts"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: name), withIntermediateDirectories: true)
    }
    try FileManager.default.copyItem(atPath: film.made(), toPath: Self.copy(in: folder))
    let words = ["sh", "-euc", "cd \"$0\"; next=$1; " + script, folder.path]
    try ChildProcess.run(words + [ZooFilm.nextEpisode.made()])
    return folder
  }

  static func copy(in folder: URL) -> String { folder.appending(path: "films/E01.mkv").path }

  private static func options(_ lines: String...) -> ZooSetup {
    let words = lines.map { "'\($0)'" }.joined(separator: " ")
    return ZooSetup(
      name: lines.joined(separator: ", "), script: "printf '%s\\n' \(words) >mpv/mpv.conf")
  }

  private static func lua(_ name: String, _ text: String, mayPart: Bool = false) -> ZooSetup {
    ZooSetup(
      name: name,
      script: "cat >mpv/scripts/own.lua <<'END'\n\(text)\nEND\ncp \"$next\" films/E02.mkv",
      mayPart: mayPart)
  }

  private static func listening(
    _ name: String, _ more: String = "", message: String, command: String? = nil
  ) -> ZooSetup {
    ZooSetup(
      name: name, script: "echo \"input-ipc-server=$PWD/socket\" >mpv/mpv.conf\n" + more,
      message: message, command: command)
  }
}

extension ZooFilm {
  static let episode = coded("an episode", "E01.mkv", "$h264 -c:a aac")
  static let nextEpisode = coded("the next episode", "E02.mkv", "-vf hue=h=90 $h264 -c:a aac")
}

extension ZooSetup {
  static let all = [
    // Options that hold for one player.
    options("end=12"), options("length=10"), options("start=5"), options("start=5", "end=12"),
    options("loop-file=inf"), options("loop-playlist=inf"),
    options("ab-loop-a=3", "ab-loop-b=6"), options("keep-open=no"), options("keep-open=always"),
    options("frames=100"), options("sstep=1"), options("speed=1.2"), options("pause=yes"),
    options("cache=no"), options("hr-seek=no"), options("audio-pitch-correction=no"),
    options("af=loudnorm"), options("video-sync=display-resample"),
    options("framedrop=decoder+vo", "hwdec=auto"),
    options("profile=evening", "[evening]", "speed=0.8", "end=12"),
    ZooSetup(
      name: "a profile for while it plays",
      script: """
        printf '%s\\n' '[while-playing]' 'profile-cond=not pause' profile-restore=copy speed=1.3 \
        >mpv/mpv.conf
        """, mayPart: true),
    ZooSetup(
      name: "a film's own configuration",
      script: """
        echo use-filedir-conf=yes >mpv/mpv.conf
        echo end=12 >films/mpv.conf
        echo length=10 >films/E01.mkv.conf
        """),
    ZooSetup(
      name: "rebase-start-time=no", script: "echo rebase-start-time=no >mpv/mpv.conf",
      film: .startingLate),
    ZooSetup(
      name: "a remembered position",
      script: """
        printf '%s\\n' save-position-on-quit resume-playback=yes "watch-later-directory=$PWD/later" \
        >mpv/mpv.conf
        mkdir later
        name=$(printf %s "$PWD/films/E01.mkv" | md5sum | tr a-f A-F | cut -c 1-32)
        printf 'start=15.000000\\nspeed=1.5\\npause=yes\\n' >"later/$name"
        """),
    ZooSetup(
      name: "sound from another file",
      script: """
        echo audio-file-auto=fuzzy >mpv/mpv.conf
        ffmpeg -nostdin -loglevel error -f lavfi -i anoisesrc=d=20:c=white:a=0.1 films/E01.commentary.mka
        """),

    // Scripts that act without their user.
    lua(
      "a script that appends the folder's next files",
      """
      local utils = require "mp.utils"
      mp.register_event("start-file", function()
        if mp.get_property_number("playlist-count") > 1 then return end
        local folder, name = utils.split_path(mp.get_property("path"))
        for _, file in ipairs(utils.readdir(folder, "files")) do
          if file > name and file:match("mkv$") then
            mp.commandv("loadfile", utils.join_path(folder, file), "append")
          end
        end
      end)
      """),
    lua(
      "a script that goes back when playback resumes",
      """
      mp.observe_property("pause", "bool", function(_, paused)
        if paused == false then mp.commandv("seek", -2, "relative+exact") end
      end)
      """, mayPart: true),
    lua(
      "a script that skips the beginning",
      """
      mp.register_event("file-loaded", function() mp.commandv("seek", 8, "absolute+exact") end)
      """, mayPart: true),
    lua(
      "a script that stops the first picture",
      """
      mp.register_event("playback-restart", function() mp.set_property_bool("pause", true) end)
      """, mayPart: true),
    lua(
      "a script that loops each file",
      """
      mp.register_event("file-loaded", function() mp.set_property("loop-file", "inf") end)
      """),
    listening(
      "a key that repeats the file", "echo 'l set loop-file inf' >mpv/input.conf",
      message: #"{"command": ["keypress", "l"]}"#),

    // What a person does with a program or a key is meant for all.
    listening(
      "a program that pauses", message: #"{"command": ["set_property", "pause", true]}"#,
      command: "pause"),
    listening(
      "a program that seeks", message: #"{"command": ["seek", 15, "absolute+exact"]}"#,
      command: "seek"),
    listening(
      "a controller that seeks when its key is pressed",
      """
      cat >mpv/scripts/own.lua <<'END'
      mp.add_key_binding("Ctrl+g", "jump", function() mp.commandv("seek", 15, "absolute+exact") end)
      END
      """, message: #"{"command": ["keypress", "Ctrl+g"]}"#, command: "seek"),
    listening(
      "a key of input.conf", "echo 'Ctrl+g seek 5' >mpv/input.conf",
      message: #"{"command": ["keypress", "Ctrl+g"]}"#, command: "seek"),
  ]
}
