extension ScreeningMachine.Effect {
  /// The effects that wait for the answer to an effect.
  enum Patience: Hashable, Sendable {
    /// All effects, since the coordinator answers at once and the next decision needs its state.
    case all
    /// The effects of the same event.
    case chain
    /// None: the answer, if there is one, is a new event.
    case nobody
  }

  var patience: Patience {
    switch self {
    case .setRate, .setDefaultRate, .seek, .reportSeek, .reportEnd, .endHere, .reportLoadedPercent,
      .waitFor, .reapply, .whatHappened, .endReplay, .separate, .rejoin, .tellReady, .clearItem,
      .look, .report, .tellState, .reportToParticipants:
      .all
    case .film(let order): order.patience
    case .player: .chain
    case .trailer(let order): order == .playPause ? .chain : .nobody
    case .drawing: .chain
    case .party(let order): order.patience
    case .library(let order): order.patience
    case .sync(let order):
      switch order {
      // The next interval waits for them.
      case .correct, .goOnAlone: .chain
      case .forget, .stayHere, .noteStall, .noteLatencyOffset: .all
      }
    case .share(let order):
      switch order {
      case .withdraw, .giveSubtitles: .chain
      case .follow, .give, .prepare, .keep, .align, .giveSound: .nobody
      }
    case .prepareActivation: .nobody
    // The loop performs these itself.
    case .then, .wait, .refuse, .attempt: .chain
    }
  }
}

extension FilmOrder {
  fileprivate var patience: ScreeningMachine.Effect.Patience {
    switch self {
    case .use, .restoreItem, .retime: .all
    case .identify, .tryOut, .compare, .findArrivalNetwork: .chain
    case .load, .reopen, .close, .findNetwork: .nobody
    }
  }
}

extension PartyOrder {
  fileprivate var patience: ScreeningMachine.Effect.Patience {
    switch self {
    case .serve, .verify, .countClients, .tellInvite, .rememberList, .askForEarlierChat,
      .sendEarlierChat, .countDown:
      .nobody
    case .recall, .enter, .leave, .beginSession, .endSession, .setList, .restore, .change, .say,
      .react, .propose, .vote, .endVote, .rename, .askWhetherReady, .requestForeground, .showNotice,
      .meet, .rememberRules,
      .rememberEnding, .offerRelay, .bridge, .endBridge, .keepDoor, .makePage,
      .openSyncplay, .speakForRoom:
      .chain
    }
  }
}

extension LibraryOrder {
  fileprivate var patience: ScreeningMachine.Effect.Patience {
    switch self {
    case .perform, .findPosition, .recallCopy, .write: .chain
    case .findCopy, .findMissing, .findBeside, .remember, .rememberCopy, .rememberMoment,
      .rememberRemark, .recallRemarks, .trust:
      .nobody
    }
  }
}
