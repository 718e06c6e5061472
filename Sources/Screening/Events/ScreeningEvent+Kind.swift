extension ScreeningEvent {
  /// The kind of an event. The raw value is the line's `event`.
  package enum Kind: String, Hashable, Sendable, CaseIterable, Encodable {
    case ready, notice, warning, error, state, missed
    case party, hosting, invite, joined, participants
    case participantJoined = "participant-joined"
    case participantLeft = "participant-left"
    case countdown
    case earlierChat = "earlier-chat"
    case renamed, met, chat, reaction, moment, vote, echo, action, rules
    case readyCheck = "ready-check"
    case attention, connected, disconnected, ended
    case partyClosed = "party-closed"
    case left, opened, activity, playlist, command, waiting, suspension, resuming
    case resumeOffered = "resume-offered"
    case replayEnded = "replay-ended"
    case endOfFilm = "end-of-film"
    case confirm, share, drawing
    case drawingBegan = "drawing-began"
    case latencyOffset = "latency-offset"
    case video, library
    case folders, found, parties, people, hosts, moments, page, syncplay
    case openWanted = "open-wanted"
    case changed
    case quitWanted = "quit-wanted"
    case userQuit = "user-quit"

    /// A Boolean value that indicates whether `--headless` prints the event. The others are for the program itself.
    package var isPrinted: Bool {
      switch self {
      case .openWanted, .changed, .quitWanted, .userQuit: false
      case .ready, .notice, .warning, .error, .state, .missed, .party, .hosting, .invite, .joined,
        .participants, .participantJoined, .participantLeft, .renamed, .met, .chat, .earlierChat,
        .reaction, .moment, .vote, .echo,
        .action, .countdown,
        .rules, .readyCheck, .attention, .connected, .disconnected, .ended,
        .partyClosed, .left,
        .opened,
        .activity, .playlist, .command, .waiting, .suspension, .resuming, .resumeOffered,
        .replayEnded, .endOfFilm,
        .confirm, .share,
        .drawing, .drawingBegan, .latencyOffset, .video, .library, .folders, .found, .parties,
        .people, .hosts, .moments, .page, .syncplay:
        true
      }
    }

    /// A Boolean value that indicates whether an event of this kind replaces a waiting one: it contains a whole state,
    /// or is the wish to quit.
    package var replacesEarlier: Bool {
      switch self {
      case .participants, .playlist, .drawing, .library, .changed, .quitWanted, .userQuit: true
      case .ready, .notice, .warning, .error, .state, .missed, .party, .hosting, .invite, .joined,
        .participantJoined, .participantLeft, .renamed, .met, .chat, .earlierChat, .countdown,
        .reaction, .moment, .vote, .echo, .action,
        .rules,
        .readyCheck, .attention, .connected, .disconnected, .ended, .partyClosed,
        .left, .opened,
        .activity,
        .command, .waiting, .suspension, .resuming, .resumeOffered,
        .replayEnded, .endOfFilm, .confirm, .share,
        .drawingBegan,
        .latencyOffset, .video, .folders, .found, .parties, .people, .hosts, .moments, .page,
        .syncplay, .openWanted:
        false
      }
    }
  }

  package var kind: Kind {
    switch self {
    case .ready: .ready
    case .notice: .notice
    case .warning: .warning
    case .failed: .error
    case .state: .state
    case .missed: .missed
    case .announced: .party
    case .hosting: .hosting
    case .reach: .invite
    case .joined: .joined
    case .participants: .participants
    case .participantJoined: .participantJoined
    case .participantLeft: .participantLeft
    case .renamed: .renamed
    case .met: .met
    case .chat: .chat
    case .earlierChat: .earlierChat
    case .countdown: .countdown
    case .reaction: .reaction
    case .moment: .moment
    case .vote: .vote
    case .echo: .echo
    case .action: .action
    case .rules: .rules
    case .readyCheck: .readyCheck
    case .attention: .attention
    case .connected: .connected
    case .disconnected: .disconnected
    case .sessionEnded: .ended
    case .partyClosed: .partyClosed
    case .left: .left
    case .opened: .opened
    case .activity: .activity
    case .playlist: .playlist
    case .command: .command
    case .waiting: .waiting
    case .suspension: .suspension
    case .resuming: .resuming
    case .resumeOffered: .resumeOffered
    case .replayEnded: .replayEnded
    case .ended: .endOfFilm
    case .mayOpen: .confirm
    case .mayShare: .share
    case .drawing: .drawing
    case .drawingBegan: .drawingBegan
    case .latencyOffset: .latencyOffset
    case .video: .video
    case .library: .library
    case .listed(let listing): listing.kind
    case .openWanted: .openWanted
    case .changed: .changed
    case .quitWanted: .quitWanted
    case .userQuit: .userQuit
    }
  }
}
