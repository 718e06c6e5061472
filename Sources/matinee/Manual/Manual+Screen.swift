extension Manual {
  var mouse: ManualPage.Section {
    .init(
      title: "Mouse and chat",
      blocks: [
        .paragraph(
          "Drag the position bar to seek, scroll and click in lists. Over the video the wheel changes the volume, the right button plays or pauses, and a double click toggles full screen. While you preview another spot (`S`), releasing the bar takes everyone there."
        ),
        .paragraph(
          "`r` and a number send a reaction: `1` like, `2` laugh, `3` wow, `4` sad, `5` applause, `6` love, `7` party, `8` fire. It rises over everyone's video."
        ),
        .paragraph(
          "In the chat, `/` and a command carry it out instead: every command of `matinee-headless`(7), such as `/ready-check` or `/seek 12:34`. Tab completes these commands and names. A mark shows where unread messages begin, and with `--notify bell` or `--notify desktop` you are alerted when someone mentions your name, and when the party waits for your answer."
        ),
      ])
  }

  var picture: ManualPage.Section {
    .init(
      title: "The video in the terminal",
      blocks: [
        .paragraph(
          "The video is as good as the connection to the terminal allows. A frame that the terminal hasn't taken in time is skipped rather than shown late, and on a slow connection the colours become coarser first. A terminal with fewer than ten rows gets the compact view by itself. Subtitles are text."
        )
      ])
  }

  var window: ManualPage.Section {
    .init(
      title: "mpv's window",
      blocks: [
        .paragraph(
          "In mpv's window mpv's keys and its on-screen controller work, and act on everyone too. The keys that mpv has by itself ask the group before your player moves; your own bindings and the controller act at once, and the group follows. Chat, events, reactions and the participants that the group waits for are drawn over the video. Enter or `t` begins a line of chat (Escape cancels it), and `D` draws with the mouse."
        ),
        .paragraph(
          "`P` toggles picture-in-picture: a small borderless window in the corner, above the others (on Wayland the compositor decides where). A film that someone else opens while you use the library opens small. Closing the window moves the video into the terminal, and you stay in the party; `q` quits."
        ),
      ])
  }

  var desktop: ManualPage.Section {
    .init(
      title: "On the desktop",
      blocks: [
        .paragraph(
          "Lock screens, panels and every other program that uses MPRIS show the film with its title, length and a picture (the file's cover, else a frame of the film; for a stream once it has played for ten seconds). Media keys and headsets control playback, and so does `playerctl`(1):"
        ),
        .code([
          "playerctl pause              # for everyone, as the space key does",
          "playerctl position 754.5",
          "playerctl open https://films.example.org/orbits.mkv", "playerctl metadata --follow",
        ]),
        .paragraph(
          "These commands follow the same rules as keys. Whatever you may not do, or nobody can do at the moment, is disabled: skipping during a trailer, seeking in a live stream, going past the end of the playlist, everything but the volume for a guest if only hosts may control playback. Without a session bus nothing is shown. With `--private` or `--no-now-playing` the desktop is shown nothing at all."
        ),
      ])
  }

  var library: ManualPage.Section {
    .init(
      title: "Library and history",
      blocks: [
        .paragraph(
          "`o` opens the library. It shows the length of films and how far you watched them; a film chosen there resumes, and so does one that is named with `--resume`. `/` searches by name, folder and the title in the file, in the current folder and in your media folders. In a party a film opens for everyone, or only for you (`b` rejoins the group)."
        ),
        .paragraph(
          "Media folders (`a`, or `--library` _FOLDER_) are scanned in the background whenever the program starts, with the lowest priority. Only new and changed files are read, moved files are recognized by their inode, and a disk that isn't mounted is not forgotten. An invite for a file finds your copy by its content even if it was never opened before."
        ),
      ])
  }
}
