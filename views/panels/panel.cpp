#include "views/panels/panel.h"
